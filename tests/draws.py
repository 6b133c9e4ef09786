# SPDX-License-Identifier: BSD-3-Clause
"""Finds random numbers whose order is the compiler's choice.

C leaves open in which order the arguments of a call, the members of an initialiser and the operands
of most operators are evaluated. Two draws from one stream among them make a seed mean one thing to
one compiler and something else to another. This knows just enough of C to see that: the functions
of a file, their full expressions, and the operators that do sequence their operands.
"""

import re

DRAW = 'weft_random_next'  # the one that all others call

TOKEN = re.compile(r'\n|[A-Za-z_]\w*|\d[\w.]*|->|\+\+|--|&&|\|\||<<=?|>>=?|[-+*/%&|^=!<>]=|\S')
ASSIGNMENTS = {'=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>='}
CLOSING = {'(': ')', '[': ']', '{': '}'}
WITH_CONDITION = {'if', 'while', 'for', 'switch'}
NO_CALL = WITH_CONDITION | {'return', 'sizeof', 'alignof', '_Alignof', 'case'}
DIRECTIVE = re.compile(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.M)
FUNCTION = re.compile(r'^(?P<head>[A-Za-z_][^;{}]*?\b(?P<name>\w+)\([^;{}]*\))\s*\n'
                      r'\{\n(?P<body>.*?)^\}', re.M | re.S)
OWN_STREAM = re.compile(r'\b(?:struct rng|uint64_t) (\w+)(?= =|;)')


class Token(str):
    line = 0


def tokens_of(text, line):
    found = []
    for match in TOKEN.finditer(text):
        if match.group() == '\n':
            line += 1
            continue
        token = Token(match.group())
        token.line = line
        found.append(token)
    return found


def end_of_group(tokens, at):
    """The index behind the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(tokens)):
        depth += tokens[i] in CLOSING
        depth -= tokens[i] in CLOSING.values()
        if depth == 0:
            return i + 1
    return len(tokens)


def split(tokens, separators):
    """Parts between separators that are in no bracket."""
    parts, at, begin = [], 0, 0
    while at < len(tokens):
        if tokens[at] in CLOSING:
            at = end_of_group(tokens, at)
            continue
        if tokens[at] in separators:
            parts.append(tokens[begin:at])
            begin = at + 1
        at += 1
    return parts + [tokens[begin:]]


# ---- Functions ----------------------------------------------------------------------------


class Function:
    def __init__(self, path, text, match):
        self.path = path
        self.name = match.group('name')
        self.is_static = 'static' in match.group('head').split()
        self.tokens = tokens_of(match.group('body'), text.count('\n', 0, match.start('body')) + 1)
        self.own_streams = set(OWN_STREAM.findall(match.group('body')))

    def uses_own_stream(self, arguments):
        return any(a == '&' and b in self.own_streams for a, b in zip(arguments, arguments[1:]))

    def calls(self):
        """(name, arguments) of all calls by name."""
        for i, token in enumerate(self.tokens[:-1]):
            if self.tokens[i + 1] == '(' and re.match(r'[A-Za-z_]', token):
                yield token, self.tokens[i + 2:end_of_group(self.tokens, i + 1) - 1]


class Program:
    """The functions of some files, and which of them draw from a stream that they were given."""

    def __init__(self, texts):
        self.functions = [Function(path, text, match) for path, text in texts.items()
                          for match in FUNCTION.finditer(text)]
        self.drawing = {(None, DRAW)}
        self.defined = {function.name for function in self.functions}
        grown = True
        while grown:
            grown = False
            for function in self.functions:
                key = (function.path if function.is_static and not function.path.endswith('.h')
                       else None, function.name)
                if key not in self.drawing and self.draws_for_its_caller(function):
                    self.drawing.add(key)
                    grown = True

    def is_draw(self, path, name, arguments):
        is_known = (path, name) in self.drawing or (None, name) in self.drawing
        is_told_to = name not in self.defined and name not in NO_CALL and 'rng' in arguments
        return is_known or is_told_to

    def draws_for_its_caller(self, function):
        return any(self.is_draw(function.path, name, arguments)
                   and not function.uses_own_stream(arguments)
                   for name, arguments in function.calls())


# ---- Expressions --------------------------------------------------------------------------


class Reader:
    """Reads the expressions of one function; `found` has the lines of those that are at fault."""

    def __init__(self, program, function):
        self.program = program
        self.function = function
        self.found = []

    def unsequenced(self, tokens, parts):
        """Whether any of the parts draws; more than one must not."""
        count = sum(parts)
        if count > 1:
            self.found.append(tokens[0].line)
        return count > 0

    def list(self, tokens):
        """Arguments, or an initialiser."""
        return self.unsequenced(tokens, [self.expression(part) for part in split(tokens, {','})])

    def expression(self, tokens):
        """Whether it draws."""
        if not tokens:
            return False
        parts = split(tokens, {','})
        if len(parts) > 1:
            return any([self.expression(part) for part in parts])
        parts = split(tokens, ASSIGNMENTS)
        if len(parts) > 1:
            return self.unsequenced(tokens, [self.expression(part) for part in parts])
        for separators in {'?', ':'}, {'||'}, {'&&'}:
            parts = split(tokens, separators)
            if len(parts) > 1:
                return any([self.expression(part) for part in parts])
        return self.unsequenced(tokens, list(self.operands(tokens)))

    def operands(self, tokens):
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if token not in CLOSING:
                at += 1
                continue
            end = end_of_group(tokens, at)
            inside = tokens[at + 1:end - 1]
            before = tokens[at - 1] if at else ''
            at = end
            if before == 'sizeof':
                continue
            if token == '(' and re.match(r'[A-Za-z_\])]', before) and before not in NO_CALL:
                arguments_draw = self.list(inside)
                yield self.program.is_draw(self.function.path, before, inside) or arguments_draw
            else:
                yield self.list(inside) if token == '{' else self.expression(inside)

    def statements(self, tokens):
        at = begin = 0
        while at < len(tokens):
            token = tokens[at]
            if token in WITH_CONDITION and tokens[at + 1] == '(':
                end = end_of_group(tokens, at + 1)
                for part in split(tokens[at + 2:end - 1], {';'}):
                    self.expression(part)
                at = begin = end
            elif token == '{' and at == begin:
                end = end_of_group(tokens, at)
                self.statements(tokens[at + 1:end - 1])
                at = begin = end
            elif token in CLOSING:
                at = end_of_group(tokens, at)
            elif token in (';', 'else', 'do') or (token == ':' and tokens[begin] in
                                                  ('case', 'default')):
                self.expression(tokens[begin:at])
                at += 1
                begin = at
            else:
                at += 1


def unsequenced(texts):
    """'file:line' of all draws of one expression that no rule puts in order. The texts, by path,
    are without comments and strings."""
    texts = {path: DIRECTIVE.sub(lambda match: re.sub(r'[^\n]', ' ', match.group()), text)
             for path, text in texts.items()}
    program = Program(texts)
    for function in program.functions:
        reader = Reader(program, function)
        reader.statements(function.tokens)
        for line in sorted(set(reader.found)):
            yield f'{function.path}:{line}'


# ---- Does it see them? --------------------------------------------------------------------

HELPERS = """
uint64_t weft_random_next(uint64_t *state)
{
    return *state += 1;
}

static uint64_t draw(struct node *node)
{
    return weft_random_next(&node->state);
}

static uint64_t draw_apart(uint64_t seed)
{
    uint64_t state = seed;
    return weft_random_next(&state);
}
"""
OPEN = [
    'add(draw(a), draw(a));',
    'x = draw(a) + 2 * draw(a);',
    'return draw(a) | (b ? draw(a) : 0);',
    'struct pair pair = {.x = draw(a), .y = {draw(a)}};',
    'table[draw(a)] ^= draw(a);',
    'if (draw(a) == draw(a))\n    x = 1;',
    'for (i = add(draw(a), draw(a)); i; i--)\n    x = 1;',
    'uint64_t state = 1;\n    add(weft_random_next(&state), weft_random_next(&state));',
    'add(pick(rng), pick(rng));',
]
SEQUENCED = [
    'draw(draw(a));',
    'x = draw(a) ? draw(a) : draw(b);',
    'x = draw(a) && (draw(a) || draw(a));',
    'x = draw(a), y = draw(a);',
    'uint64_t x = draw(a), y = draw(a);',
    'if (draw(a))\n        x = draw(a);\n    else\n        x = draw(a);',
    'for (i = draw(a); i < draw(a); i += draw(a))\n        x = draw(a);',
    'add(draw_apart(1), draw_apart(2));',
    'add(draw(a), sizeof(draw(a)));',
]


def misjudged():
    """Of these statements, those that this takes for something else than they are."""
    for statements, is_open in (OPEN, True), (SEQUENCED, False):
        for statement in statements:
            text = f'{HELPERS}\nstatic void f(void)\n{{\n    {statement}\n}}\n'
            if bool(list(unsequenced({'f.c': text}))) != is_open:
                yield statement
