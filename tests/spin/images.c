/* SPDX-License-Identifier: BSD-3-Clause */
/* Handlers of images that misbehave: each ends its own message with the right failure, and the
 * next message finds all as it was. The handlers are assembled here, so no compiler is needed. */
#include "riscv/assemble.h"
#include "riscv/elf_file.h"
#include "spin/spin.h"

#define SIZE 64 /* of messages */
#define STATE_SIZE 24

/* More of what handlers are made of. */
#define load_double(rd, rs1, offset) of_i(0x03, 3, rd, rs1, offset)
#define store_double(rs2, rs1, offset) of_s(0x23, 3, rs1, rs2, offset)
#define load_byte(rd, rs1, offset) of_i(0x03, 4, rd, rs1, offset)
#define store_byte(rs2, rs1, offset) of_s(0x23, 0, rs1, rs2, offset)
#define jump(distance) of_j(ZERO, distance)
#define jump_to(rs1) of_i(0x67, 0, ZERO, rs1, 0)
#define set(rd, value) addi(rd, ZERO, value)
#define call(number) set(T0, number), ECALL
#define CALL_DMA_TO_HOST 4
#define CALL_FADD 15
#define CALL_PUT_FROM_DEVICE 18

/* Arguments of a payload handler: offset, length and base of the packet, and the state. */
#define GET_PAYLOAD load_double(A3, A0, 16), load_double(A2, A0, 0), load_double(A4, A0, 8)

/* Moves the packet to its place in the entry. */
#define GOOD                                                                                      \
    GET_PAYLOAD, add(A0, A3, ZERO), add(A1, A4, ZERO), set(A3, 0), call(CALL_DMA_TO_HOST),        \
        set(A0, PTL_HANDLER_SUCCESS), RETURN
static const uint32_t good[] = {GOOD};

/* ---- One message -------------------------------------------------------------------------- */

enum which { HEADER, PAYLOAD, COMPLETION };

static void load_words(struct job *job, const uint32_t *words, size_t count,
                       ptl_handle_image_t *image)
{
    static const struct elf_function functions[] = {{"handler", 0}, {NULL, 0}};
    struct elf_file *file = job_memory(job, sizeof *file);
    if (!job->target)
        return;
    elf_file_make(file, words, count, functions);
    ok(PtlHandlersLoad(job->ni, file, sizeof *file, image));
    memset(file, 0, sizeof *file);
}

static void send_through(struct job *job, const uint32_t *words, size_t count, enum which which,
                         ptl_ni_fail_t fail, void *entry)
{
    ptl_handle_image_t image = PTL_INVALID_HANDLE;
    unsigned char state[STATE_SIZE] = {0};
    load_words(job, words, count, &image);
    const ptl_image_handlers_t handlers = {.image = image,
                                           .header_handler = which == HEADER ? "handler" : NULL,
                                           .payload_handler = which == PAYLOAD ? "handler" : NULL,
                                           .completion_handler =
                                               which == COMPLETION ? "handler" : NULL};
    struct spin_case message = {.handlers = {.image = &handlers},
                                .state = state,
                                .state_length = sizeof state,
                                .start = entry,
                                .length = SIZE,
                                .size = SIZE,
                                .fail = fail};
    spin_run(job, &message);
    if (job->target)
        ok(PtlHandlersUnload(&image));
}

static void misbehave(struct job *job, const uint32_t *words, size_t count, enum which which,
                      ptl_ni_fail_t fail)
{
    unsigned char *entry = job_memory(job, SIZE);
    send_through(job, words, count, which, fail, entry);
    send_through(job, good, sizeof good / sizeof good[0], PAYLOAD, PTL_NI_OK, entry);
    if (job->target)
        holds(job_filled(entry, SIZE, SPIN_SEED));
}

/* Such a payload handler ends its message so. */
#define MISBEHAVIOUR(name, fail, ...)                                                             \
    BEHAVIOUR("a handler of an image that " name, SPIN)                                           \
    {                                                                                             \
        static const uint32_t words[] = {__VA_ARGS__};                                            \
        misbehave(job, words, sizeof words / sizeof words[0], PAYLOAD, fail);                     \
    }

/* ---- Memory ------------------------------------------------------------------------------- */

MISBEHAVIOUR("reads from nowhere", PTL_NI_SEGV, load_double(A0, ZERO, 0), RETURN)
MISBEHAVIOUR("reads behind its packet", PTL_NI_SEGV, GET_PAYLOAD, add(A3, A3, A2),
             load_byte(A0, A3, -1), load_byte(A0, A3, 0), set(A0, 0), RETURN)
MISBEHAVIOUR("reads before its packet", PTL_NI_SEGV, GET_PAYLOAD, load_byte(A0, A3, 0),
             load_byte(A0, A3, -1), set(A0, 0), RETURN)
MISBEHAVIOUR("writes to nowhere", PTL_NI_SEGV, store_double(A0, ZERO, 16), RETURN)
MISBEHAVIOUR("writes to its packet", PTL_NI_SEGV, GET_PAYLOAD, store_byte(A0, A3, 0), RETURN)
MISBEHAVIOUR("writes behind its HPU memory", PTL_NI_SEGV, store_byte(A0, A1, STATE_SIZE - 1),
             store_byte(A0, A1, STATE_SIZE), RETURN)
MISBEHAVIOUR("writes to the end of its HPU memory and over it", PTL_NI_SEGV,
             store_double(A0, A1, STATE_SIZE - 8), store_double(A0, A1, STATE_SIZE - 7), RETURN)
MISBEHAVIOUR("writes to its arguments", PTL_NI_SEGV, store_double(A0, A0, 0), RETURN)
MISBEHAVIOUR("changes its own code", PTL_NI_SEGV, of_u(0x17, A2, 0), store_word(A0, A2, 0), RETURN)
MISBEHAVIOUR("adds to what is not aligned", PTL_NI_SEGV, add(A0, A1, ZERO), set(A2, 1),
             call(CALL_FADD), addi(A0, A1, 1), call(CALL_FADD), set(A0, 0), RETURN)
MISBEHAVIOUR("calls itself for ever", PTL_NI_SEGV, addi(SP, SP, -16), store_double(RA, SP, 8),
             of_j(RA, -8), RETURN)

/* ---- Code --------------------------------------------------------------------------------- */

MISBEHAVIOUR("jumps into its HPU memory", PTL_NI_SEGV, jump_to(A1))
MISBEHAVIOUR("jumps to nowhere", PTL_NI_SEGV, jump_to(ZERO))
MISBEHAVIOUR("runs over its end", PTL_NI_SEGV, set(A0, 0))
MISBEHAVIOUR("has an instruction that does not exist", PTL_NI_HANDLER, UINT32_C(0))
MISBEHAVIOUR("stops for a debugger", PTL_NI_HANDLER, EBREAK)
MISBEHAVIOUR("reads a register of the system", PTL_NI_HANDLER, of_i(0x73, 2, A0, ZERO, 0x300))
MISBEHAVIOUR("makes a call that does not exist", PTL_NI_HANDLER, call(26), set(A0, 0), RETURN)
MISBEHAVIOUR("makes a call of an operating system", PTL_NI_HANDLER, set(A7, 93), call(-1), RETURN)
MISBEHAVIOUR("runs for ever", PTL_NI_HANDLER, jump(0))
MISBEHAVIOUR("gives a result that does not exist", PTL_NI_HANDLER, set(A0, 77), RETURN)

BEHAVIOUR("a header handler of an image that runs for ever", SPIN)
{
    static const uint32_t words[] = {jump(0)};
    misbehave(job, words, 1, HEADER, PTL_NI_HANDLER);
}

BEHAVIOUR("a completion handler of an image that reads from nowhere", SPIN)
{
    static const uint32_t words[] = {load_byte(A0, ZERO, 0), RETURN};
    misbehave(job, words, 2, COMPLETION, PTL_NI_SEGV);
}

/* ---- Calls -------------------------------------------------------------------------------- */

MISBEHAVIOUR("writes behind the entry by DMA", PTL_NI_SEGV, GET_PAYLOAD, add(A0, A3, ZERO),
             set(A1, 1), set(A3, 0), call(CALL_DMA_TO_HOST), set(A0, 0), RETURN)
MISBEHAVIOUR("writes before the entry by DMA", PTL_NI_SEGV, GET_PAYLOAD, add(A0, A3, ZERO),
             set(A1, -1), set(A3, 0), call(CALL_DMA_TO_HOST), set(A0, 0), RETURN)
MISBEHAVIOUR("sends what is behind its packet to the host", PTL_NI_SEGV, GET_PAYLOAD,
             addi(A0, A3, 1), set(A1, 0), set(A3, 0), call(CALL_DMA_TO_HOST), set(A0, 0), RETURN)
MISBEHAVIOUR("sends an endless piece of memory to the host", PTL_NI_SEGV, GET_PAYLOAD,
             add(A0, A3, ZERO), set(A1, 0), set(A2, -1), set(A3, 0), call(CALL_DMA_TO_HOST),
             set(A0, 0), RETURN)
MISBEHAVIOUR("starts operations for ever", PTL_NI_HANDLER, addi(SP, SP, -16), set(A1, 0),
             set(A2, 0), set(A3, 0), set(A4, -1), call(CALL_PUT_FROM_DEVICE), jump(-24))

/* ---- Time --------------------------------------------------------------------------------- */

/* With a cycle for each byte: instructions of one cycle, and two for the return. */
static void take_cycles(struct job *job, unsigned cycles, ptl_ni_fail_t fail)
{
    uint32_t words[ELF_FILE_WORDS];
    for (unsigned i = 0; i < cycles - 2; i++)
        words[i] = set(A0, 0);
    words[cycles - 2] = RETURN;
    send_through(job, words, cycles - 1, PAYLOAD, fail, job_memory(job, SIZE));
}

BEHAVIOUR("a handler of an image may use all its cycles, and none more", SPIN)
{
    const ptl_handler_limits_t limits = {.max_cycles_per_byte = 1};
    ok(PtlNIHandlerLimits(job->ni, &limits, NULL));
    take_cycles(job, SIZE, PTL_NI_OK);
    take_cycles(job, SIZE + 1, PTL_NI_HANDLER);
    take_cycles(job, SIZE, PTL_NI_OK);
}

/* ---- Images ------------------------------------------------------------------------------- */

static int load_file(struct job *job, const struct elf_file *file, size_t length)
{
    ptl_handle_image_t image;
    int result = PtlHandlersLoad(job->ni, file, length, &image);
    if (result == PTL_OK)
        ok(PtlHandlersUnload(&image));
    return result;
}

BEHAVIOUR("images that are forged, cut off or too large are refused", SPIN)
{
    static const struct elf_function functions[] = {{"handler", 0}, {NULL, 0}};
    ptl_handler_limits_t limits;
    struct elf_file *file = job_memory(job, sizeof *file);
    ptl_handle_image_t image;
    elf_file_make(file, good, sizeof good / sizeof good[0], functions);
    ok(load_file(job, file, sizeof *file));
    gives(PTL_ARG_INVALID, PtlHandlersLoad(job->ni, NULL, 0, &image));
    gives(PTL_ARG_INVALID, PtlHandlersLoad(job->ni, file, sizeof *file, NULL));
    gives(PTL_ARG_INVALID, PtlHandlersLoad(job->eq, file, sizeof *file, &image));
    gives(PTL_ARG_INVALID, load_file(job, file, 0));
    gives(PTL_ARG_INVALID, load_file(job, file, offsetof(struct elf_file, text)));
    file->segment.p_vaddr = UINT64_MAX - 8;
    gives(PTL_ARG_INVALID, load_file(job, file, sizeof *file));
    file->segment.p_vaddr = ELF_FILE_BASE;
    file->header.e_phoff = UINT64_MAX - 8;
    gives(PTL_ARG_INVALID, load_file(job, file, sizeof *file));
    file->header.e_phoff = offsetof(struct elf_file, segment);
    ok(PtlNIHandlerLimits(job->ni, NULL, &limits));
    file->segment.p_memsz = limits.max_handler_mem + 1;
    gives(PTL_NO_SPACE, load_file(job, file, sizeof *file));
    file->segment.p_memsz = file->segment.p_filesz;
    ok(PtlHandlersLoad(job->ni, file, sizeof *file, &image));
    ok(PtlHandlersUnload(&image));
    gives(PTL_ARG_INVALID, PtlHandlersUnload(&image));
    gives(PTL_ARG_INVALID, PtlHandlersUnload(NULL));
}

static int append_image(struct job *job, const ptl_image_handlers_t *image,
                        ptl_payload_handler_t native, ptl_handle_me_t *entry)
{
    ptl_handlers_t handlers = spin_handlers(NULL, native, NULL);
    ptl_me_t me = job_entry(POSTING(NULL, 0, PTL_ME_OP_PUT));
    handlers.image = image;
    return PtlMEAppendHandlers(job->ni, job->pt, &me, &handlers, PTL_PRIORITY_LIST, NULL, entry);
}

static ptl_handler_result_t never(const ptl_payload_t *payload, void *state)
{
    (void)payload;
    (void)state;
    return PTL_HANDLER_FAIL;
}

BEHAVIOUR("an image stays while an entry has handlers of it", SPIN)
{
    static const struct elf_function functions[] = {{"handler", 0}, {NULL, 0}};
    struct elf_file *file = job_memory(job, sizeof *file);
    ptl_image_handlers_t handlers = {.payload_handler = "handler"};
    ptl_handle_me_t entry;
    elf_file_make(file, good, sizeof good / sizeof good[0], functions);
    ok(PtlHandlersLoad(job->ni, file, sizeof *file, &handlers.image));
    gives(PTL_ARG_INVALID, append_image(job, &handlers, never, &entry));
    ok(append_image(job, &handlers, NULL, &entry));
    gives(PTL_IN_USE, PtlHandlersUnload(&handlers.image));
    ok(PtlMEUnlink(entry));
    handlers.completion_handler = "handle";
    gives(PTL_ARG_INVALID, append_image(job, &handlers, NULL, &entry));
    handlers.completion_handler = NULL;
    ptl_handle_image_t image = handlers.image;
    ok(PtlHandlersUnload(&handlers.image));
    handlers.image = image;
    gives(PTL_ARG_INVALID, append_image(job, &handlers, NULL, &entry));
    handlers.image = job->eq;
    gives(PTL_ARG_INVALID, append_image(job, &handlers, NULL, &entry));
    /* What is left is closed with the interface. */
    ok(PtlHandlersLoad(job->ni, file, sizeof *file, &handlers.image));
    ok(append_image(job, &handlers, NULL, &entry));
}
