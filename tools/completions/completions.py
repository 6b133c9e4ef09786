#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: completions.py WEFT SHELL

Prints what bash, zsh or fish complete after `weft`: the commands and options that WEFT, the
program, tells of itself by --help. So a new option is completed as soon as it is told of.
"""

import re
import subprocess
import sys

COMMAND = re.compile(r"^  ([a-z]+) +(\S.*)$")
OPTION = re.compile(r"^  (?:(-\w), )?(--[a-z-]+)(\[=\S+\]| \S+)?(?:  +(\S.*))?$")
# Of these the first words are commands again.
FAMILIES = ("bench", "sim")
# Behind their options is a command line of somebody else's.
STARTERS = ("run", "compare", "trace")


def help_of(weft, words):
    text = subprocess.run([weft, *words, "--help"], capture_output=True, text=True, check=True)
    return text.stdout.splitlines()


def commands_of(lines):
    found = (COMMAND.match(line) for line in lines)
    return {match[1]: match[2] for match in found if match}


def options_of(lines):
    """Name: whether it takes a value, and what the help tells."""
    found = (OPTION.match(line) for line in lines)
    return {match[2]: (bool(match[3]) and not match[3].startswith("["), match[4] or "")
            for match in found if match}  # fmt: skip


def tree_of(weft):
    """Words that lead to a command: its subcommands and options."""
    top = commands_of(help_of(weft, []))
    tree = {(): (top, {"--help": (False, "this text"), "--version": (False, "the version")})}
    for name in top:
        lines = help_of(weft, [name])
        below = commands_of(lines) if name in FAMILIES else {}
        tree[(name,)] = (below, options_of(lines) or {"--help": (False, "this text")})
        for child in below:
            tree[(name, child)] = ({}, options_of(help_of(weft, [name, child])))
    return tree


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


# ---- bash ---------------------------------------------------------------------------------------

BASH = """\
# Completions of weft for bash: made from what it tells by --help.
_weft()
{
    local word=${COMP_WORDS[COMP_CWORD]} path= i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case $path${COMP_WORDS[i]} in
%(paths)s        esac
    done
    case $path in
%(starters)s            for ((i = 2; i <= COMP_CWORD; i++)); do
                case ${COMP_WORDS[i]} in
                    %(valued)s) i=$((i + 1)) ;;
                    -*) ;;
                    *) _weft_rest "$i"; return ;;
                esac
            done ;;
    esac
    case $path in
%(words)s    esac
    [ ${#COMPREPLY[@]} -gt 0 ] || [[ $word == -* ]] || COMPREPLY=($(compgen -f -- "$word"))
}

# The command line that begins at a word is somebody else's.
_weft_rest()
{
    if declare -F _command_offset >/dev/null; then
        _command_offset "$1"
    elif [ "$1" -eq "$COMP_CWORD" ]; then
        COMPREPLY=($(compgen -c -f -- "${COMP_WORDS[COMP_CWORD]}"))
    else
        COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
    fi
}
complete -o filenames -F _weft weft
"""


def path_of(words):
    return "".join(word + "/" for word in words)


def bash(tree):
    paths = "".join(f"            {path_of(words[:-1])}{words[-1]}) path={path_of(words)} ;;\n"
                    for words in tree if words)  # fmt: skip
    starters = "        " + " | ".join(name + "/" for name in STARTERS) + ")\n"
    words = "".join(
        f"        {path_of(at) or quoted('')}) "
        f"COMPREPLY=($(compgen -W {quoted(' '.join([*below, *options]))} -- \"$word\")) ;;\n"
        for at, (below, options) in tree.items()
    )
    valued = " | ".join(sorted({name for starter in STARTERS
                                for name, (takes_value, _) in tree[starter,][1].items()
                                if takes_value}))  # fmt: skip
    return BASH % {"paths": paths, "starters": starters, "words": words, "valued": valued}


# ---- zsh ----------------------------------------------------------------------------------------

ZSH = """\
#compdef weft
# Completions of weft for zsh: made from what it tells by --help.
_weft()
{
    local command=${words[2]}
    (( CURRENT == 2 )) && command=
    [[ $command == (%(families)s) ]] && (( CURRENT > 3 )) && command+=/${words[3]}
    case $command in
%(cases)s    esac
}
_weft "$@"
"""


def described(name, text):
    return quoted(f"{name}:{text}".replace("[", "(").replace("]", ")"))


def zsh_case(at, below, options):
    lines = [f"        {'/'.join(at) or quoted('')})"]
    if below:
        entries = " ".join(described(name, text) for name, text in below.items())
        lines.append(f"            local -a commands=({entries})")
        lines.append("            _describe command commands")
    entries = " ".join(described(name, text) for name, (_, text) in options.items())
    lines.append(f"            local -a options=({entries})")
    lines.append("            _describe -o option options")
    if at and at[0] in STARTERS:
        lines.append("            _normal -p weft")
    elif not below:
        lines.append("            _files")
    return "\n".join(lines) + " ;;\n"


def zsh(tree):
    cases = "".join(zsh_case(at, below, options) for at, (below, options) in tree.items())
    return ZSH % {"families": "|".join(FAMILIES), "cases": cases}


# ---- fish ---------------------------------------------------------------------------------------


def fish_condition(at, below):
    if not at:
        return "__fish_use_subcommand"
    seen = f"__fish_seen_subcommand_from {at[0]}"
    if len(at) == 2:
        return f"{seen}; and __fish_seen_subcommand_from {at[1]}"
    return f"{seen}; and not __fish_seen_subcommand_from {' '.join(below)}" if below else seen


def fish(tree):
    lines = ["# Completions of weft for fish: made from what it tells by --help."]
    for at, (below, options) in tree.items():
        condition = quoted(fish_condition(at, below))
        files = " -f" if below else ""
        for name, text in below.items():
            lines.append(f"complete -c weft{files} -n {condition} -a {name} -d {quoted(text)}")
        for name, (takes_value, text) in options.items():
            value = " -r" if takes_value else ""
            lines.append(f"complete -c weft -n {condition} -l {name[2:]}{value} -d {quoted(text)}")
    for name in STARTERS:
        lines.append(f"complete -c weft -n '__fish_seen_subcommand_from {name}' "
                     "-xa '(__fish_complete_subcommand --fcs-skip=2)'")  # fmt: skip
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in ("bash", "zsh", "fish"):
        print(__doc__, file=sys.stderr)
        return 2
    make = {"bash": bash, "zsh": zsh, "fish": fish}[sys.argv[2]]
    print(make(tree_of(sys.argv[1])), end="")
    return 0


sys.exit(main())
