/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one table of settings. Each is an environment variable WEFT_<NAME>, read once when it is
 * first asked for; `weft info` prints the table. Only setting.c calls getenv.
 */
#ifndef WEFT_BASE_SETTING_H
#define WEFT_BASE_SETTING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(name, kind, default, choices or unit, help) */
#define WEFT_SETTING_MAP(X)                                                                       \
    X(CHUNK, SIZE, "256K", "bytes",                                                               \
      "long messages are pulled by their receiver in pieces of this size")                        \
    X(CHUNKS, SIZE, "4", "pieces", "how many pieces of a message a receiver asks for at once")    \
    X(DIRECT, SIZE, "64K", "bytes",                                                               \
      "long messages and gets of processes of this host are read by the system instead of sent "  \
      "in packets, if pieces of both layouts have this many bytes on average; 0: never")          \
    X(DIRECT_MOST, SIZE, "512K", "bytes",                                                         \
      "longer ones come in packets, which two processors copy")                                   \
    X(DISABLE, CHOICE, "0", "0|1",                                                                \
      "1: MPI programs under weft run send all messages as if there were no Weft")                \
    X(EAGER, SIZE, "64K", "bytes",                                                                \
      "messages up to this size are sent at once, of longer ones as much; all processes must "    \
      "have the same")                                                                            \
    X(EVERYWHERE, CHOICE, "ask", "ask|yes",                                                       \
      "whether all processes of an MPI job run under weft run: ask the launcher; yes is for a "   \
      "launcher that does not tell, and a job where it is not true does not start")               \
    X(FAR_TICKET, SIZE, "512K", "bytes",                                                          \
      "as WEFT_TICKET, for messages to other hosts: there, to ask for data takes longer than to " \
      "pack it")                                                                                  \
    X(HANDLER_CORE, TEXT, "ri5cy", "core",                                                        \
      "the core that handlers of images run on, by which their cycles are counted: ri5cy or "     \
      "a15, "                                                                                     \
      "and what is different, as in ri5cy,load=2")                                                \
    X(HANDLER_CYCLES, SIZE, "16M", "cycles",                                                      \
      "how long any handler of an image may run; payload handlers no longer than their bytes "    \
      "allow")                                                                                    \
    X(HPU_CONTEXTS, SIZE, "256", "packets",                                                       \
      "how many packets of a portal table entry may wait for HPUs; with flow control more are "   \
      "refused, without it they wait in the network")                                             \
    X(HPUS, SIZE, "0", "threads",                                                                 \
      "threads that run handlers of packets, and move those of layouts; 0: the threads that "     \
      "send "                                                                                     \
      "and receive do that")                                                                      \
    X(LAUNCHER, CHOICE, "auto", "auto|pmix|pmi|file|none",                                        \
      "who tells this process its rank: auto takes the first that is there")                      \
    X(LAUNCH_TIMEOUT, SIZE, "60000", "milliseconds",                                              \
      "how long a process waits at its start for the launcher and the rest of its job")           \
    X(LOG, CHOICE, "warn", "off|error|warn|info", "what to write to standard error")              \
    X(LONG_LIST, SIZE, "256", "entries",                                                          \
      "the first messages of types with longer lists are left to MPI, because to prepare such a " \
      "type takes longer than to send it")                                                        \
    X(NIC_MEM, SIZE, "64M", "bytes", "memory of the NIC that programs may have for handlers")     \
    X(OFFLOAD_MEM, SIZE, "0", "bytes",                                                            \
      "how much of the NIC one receive of weft_offload.h may have, or one layout whose messages " \
      "HPUs move; 0: whatever WEFT_NIC_MEM has")                                                  \
    X(OFFLOAD_STRATEGY, CHOICE, "auto", "auto|seek|specialized|hpu-local|ro-cp|rw-cp",            \
      "how receives of weft_offload.h are scattered whose types say nothing else")                \
    X(OFI_CONNECTIONS, SIZE, "64", "processes",                                                   \
      "connections to other hosts above this are closed while they are idle; 0: never")           \
    X(OFI_INTERFACE, TEXT, "", "name",                                                            \
      "the network interface, or libfabric's domain, to reach other hosts by, and the only one "  \
      "that is listened on; several, with commas between them, are used all at once")             \
    X(OFI_PACKET_SIZE, SIZE, "0", "bytes",                                                        \
      "payload of the largest packet between hosts; all processes must have the same; 0: 64 KiB " \
      "by libfabric, 48 KiB by sockets")                                                          \
    X(OFI_PROVIDER, TEXT, "", "name", "the provider of libfabric, as fi_info prints it")          \
    X(OFI_TRUST, CHOICE, "0", "0|1",                                                              \
      "1: only processes of friends reach the network that libfabric's TCP is used on, so do "    \
      "not warn of strangers")                                                                    \
    X(PACKET_SIZE, SIZE, "8192", "bytes", "payload of the largest packet within a host")          \
    X(PRIVATE, CHOICE, "on", "on|off",                                                            \
      "off: what goes by sockets to other hosts is not encrypted, but nobody can change it, "     \
      "either; all processes must have the same")                                                 \
    X(PROGRESS, SIZE, "1000", "microseconds",                                                     \
      "how often a thread of the library looks after the NIC while the program computes; 0: "     \
      "never")                                                                                    \
    X(RANK, SIZE, "0", "number", "which process of a job started by hand this is, from 0")        \
    X(RECORD, TEXT, "", "file",                                                                   \
      "where an MPI program under weft run writes what it did, in the GOAL language")             \
    X(RECORD_CLOCK, CHOICE, "auto", "auto|wall|processor",                                        \
      "how that measures computations: processor is the time of the thread, without that in "     \
      "which others have its processor; auto takes it where processes share processors")          \
    X(RENDEZVOUS, TEXT, "", "path",                                                               \
      "the file through which processes of one host find each other; they must all name the "     \
      "same")                                                                                     \
    X(REPORT, TEXT, "", "file",                                                                   \
      "where an MPI program under weft run writes how messages travelled, in JSON; -: to "        \
      "standard error, for people")                                                               \
    X(REQUESTS, SIZE, "8192", "transfers",                                                        \
      "how many transfers may be under way at one time; offers are refused above half of them")   \
    X(SHARED_HEAP, CHOICE, "0", "0|1",                                                            \
      "1: large allocations of an MPI program under weft run come from memory that its peers on " \
      "this host can map, so that messages are copied once")                                      \
    X(SHARED_HEAP_LEAST, SIZE, "64K", "bytes", "what counts as large there")                      \
    X(SHARED_HEAP_SIZE, SIZE, "0", "bytes",                                                       \
      "address space for all of them; 0: as much as the host has memory")                         \
    X(SHM_PEERS, SIZE, "512", "processes",                                                        \
      "how many processes of the host may send to this one, itself included; a job with more on " \
      "a host opens no net")                                                                      \
    X(SHM_SLOTS, SIZE, "32", "packets",                                                           \
      "room for packets from each process that sends to this one")                                \
    X(SIMD, CHOICE, "auto", "auto|off|avx2|avx512vl|avx512",                                      \
      "instructions that copy (auto: the best that are sure to leave the processor's clock) "     \
      "and, unless this is auto or avx512, that libcrypto alone seals what goes by sockets; "     \
      "what the processor lacks falls back to the best it has")                                   \
    X(SIZE, SIZE, "0", "processes",                                                               \
      "how many processes a job started by hand has; 0: there is no such job")                    \
    X(SPIN, SIZE, "50", "microseconds", "how long a wait polls before it sleeps")                 \
    X(TICKET, SIZE, "8K", "bytes",                                                                \
      "longer messages of non-contiguous data of an MPI program go through Weft, shorter ones "   \
      "are packed; 6000 with Open MPI")                                                           \
    X(TIMEOUT, SIZE, "2000", "milliseconds",                                                      \
      "after this time a process that cannot be found or does not answer counts as dead")         \
    X(TOGETHER_LEAST, SIZE, "16K", "bytes",                                                       \
      "messages between shared heaps that are as long are copied by the sender, too, not by the " \
      "receiver alone")                                                                           \
    X(TRACE, TEXT, "", "file",                                                                    \
      "where to write a timeline of what the NIC did; %r is the rank, %p the process id")         \
    X(TRACE_RECORDS, SIZE, "262144", "records",                                                   \
      "how many of the last things that the NIC did a timeline keeps")                            \
    X(TYPE_CACHE, SIZE, "16777216", "bytes",                                                      \
      "normal forms kept after their last type is freed, so that rebuilding them is a look-up")   \
    X(UNEXPECTED, SIZE, "4M", "bytes",                                                            \
      "memory for messages that came before their receive; of more, only the headers are kept")   \
    X(WAY, CHOICE, "auto", "auto|native|packed|pulled|together|random",                           \
      "how an MPI program under weft run sends and receives non-contiguous data: auto finds out " \
      "for each kind of message whether MPI's own way is faster; the others force one where it "  \
      "can go, together only with shared heaps; random is for tests")                             \
    X(WORLD, CHOICE, "auto", "auto|shm|ofi|tcp",                                                  \
      "how packets travel: shm is the memory of this host, ofi is libfabric for all processes, "  \
      "tcp is sockets for all of them, auto is shm within a host and, between hosts, ofi if it "  \
      "has "                                                                                      \
      "a fabric that keeps users apart and else tcp")

enum weft_setting {
#define WEFT_SETTING_ENUM(name, kind, fallback, choices, help) WEFT_SETTING_##name,
    WEFT_SETTING_MAP(WEFT_SETTING_ENUM)
#undef WEFT_SETTING_ENUM
        WEFT_SETTING_COUNT
};

/* In the order of the choices. */
enum weft_setting_simd {
    WEFT_SETTING_SIMD_AUTO,
    WEFT_SETTING_SIMD_OFF,
    WEFT_SETTING_SIMD_AVX2,
    WEFT_SETTING_SIMD_AVX512VL,
    WEFT_SETTING_SIMD_AVX512
};

enum weft_setting_kind { WEFT_SETTING_IS_CHOICE, WEFT_SETTING_IS_SIZE, WEFT_SETTING_IS_TEXT };

struct weft_setting_info {
    const char *name; /* with the WEFT_ prefix */
    enum weft_setting_kind kind;
    const char *fallback;
    const char *choices;
    const char *help;
};

const struct weft_setting_info *weft_setting_info(enum weft_setting setting);

/* Values that were asked for before. */
extern struct weft_setting_value {
    _Atomic uint64_t value;
    _Atomic bool is_known;
} weft_setting_values[WEFT_SETTING_COUNT];

uint64_t weft_setting_learn(enum weft_setting setting);

/* The value in force: the position among the choices, or the number. A value that cannot be
 * understood draws one warning and the default is used. Inline, since every message asks for
 * some. */
static inline uint64_t weft_setting(enum weft_setting setting)
{
    struct weft_setting_value *value = &weft_setting_values[setting];
    return atomic_load_explicit(&value->is_known, memory_order_acquire)
               ? atomic_load_explicit(&value->value, memory_order_relaxed)
               : weft_setting_learn(setting);
}

/* Another default than that of the table, before the setting is first asked for. */
void weft_setting_prefer(enum weft_setting setting, const char *fallback);

/* The value of a setting of the kind TEXT. */
const char *weft_setting_text(enum weft_setting setting);

/* Variables of others: launchers, the dynamic linker, the shell. */
#define WEFT_SETTING_ENVIRONMENT_MAP(X)                                                           \
    X(ASAN_OPTIONS)                                                                               \
    X(LD_PRELOAD)                                                                                 \
    X(OMPI_COMM_WORLD_SIZE)                                                                       \
    X(PATH)                                                                                       \
    X(PMI_FD)                                                                                     \
    X(PMI_RANK)                                                                                   \
    X(PMI_SIZE)                                                                                   \
    X(PMIX_NAMESPACE)                                                                             \
    X(XDG_RUNTIME_DIR)

enum weft_setting_environment {
#define WEFT_SETTING_ENVIRONMENT_ENUM(name) WEFT_SETTING_ENVIRONMENT_##name,
    WEFT_SETTING_ENVIRONMENT_MAP(WEFT_SETTING_ENVIRONMENT_ENUM)
#undef WEFT_SETTING_ENVIRONMENT_ENUM
        WEFT_SETTING_ENVIRONMENT_COUNT
};

/* NULL if it is not set. */
const char *weft_setting_environment(enum weft_setting_environment variable);

/* Calls `report` for every WEFT_ variable of the environment that the table does not have. `meant`
 * is what it may be a misspelling of, or NULL. */
void weft_setting_unknown(void (*report)(const char *name, const char *meant));

/* Warns of them in the log, once in this process. */
void weft_setting_warn_unknown(void);

#endif
