/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/harness/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Contents ----------------------------------------------------------------------------- */

static struct plot_panel *find_panel(struct plot *plot, const char *title)
{
    for (size_t i = 0; i < plot->panel_count; i++)
        if (strcmp(plot->panels[i].title, title) == 0)
            return &plot->panels[i];
    if (plot->panel_count == PLOT_MOST_PANELS)
        return NULL;
    struct plot_panel *panel = &plot->panels[plot->panel_count++];
    panel->series_count = 0;
    snprintf(panel->title, sizeof(panel->title), "%s", title);
    return panel;
}

static struct plot_series *find_series(struct plot *plot, const char *title, const char *label)
{
    struct plot_panel *panel = find_panel(plot, title);
    for (size_t i = 0; panel && i < panel->series_count; i++)
        if (strcmp(panel->series[i].label, label) == 0)
            return &panel->series[i];
    if (!panel || panel->series_count == PLOT_MOST_SERIES)
        return NULL;
    struct plot_series *series = &panel->series[panel->series_count++];
    *series = (struct plot_series){.count = 0};
    snprintf(series->label, sizeof(series->label), "%s", label);
    return series;
}

void plot_add_range(struct plot *plot, const char *panel, const char *label, double x,
                    const struct plot_range *range)
{
    struct plot_series *series = find_series(plot, panel, label);
    if (!series || series->count == PLOT_MOST_POINTS)
        return;
    series->x[series->count] = x;
    series->least[series->count] = range->least;
    series->most[series->count] = range->most;
    series->y[series->count++] = range->value;
}

void plot_add_point(struct plot *plot, const char *panel, const char *label, double x, double y)
{
    plot_add_range(plot, panel, label, x, &(struct plot_range){y, y, y});
}

void plot_add_bar(struct plot *plot, const char *panel, const char *label, enum plot_role role,
                  double value)
{
    struct plot_series *series = find_series(plot, panel, label);
    if (!series)
        return;
    series->role = role;
    series->count = 1;
    series->y[0] = value;
}

double plot_block(const char *layout)
{
    size_t bytes;
    int used;
    bool is_vector = sscanf(layout, "vec%zu%n", &bytes, &used) == 1 && !layout[used];
    return is_vector ? (double)bytes : 0;
}

void plot_name_bytes(double bytes, char *text, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    size_t unit = 0;
    for (; bytes >= 1024 && unit < 3; unit++)
        bytes /= 1024;
    snprintf(text, size, "%.3g %s", bytes, units[unit]);
}

/* ---- Style: lengths are in pixels --------------------------------------------------------- */

#define FONT "sans-serif"
#define FONT_SIZE 13
#define TITLE_SIZE 17
#define TIC_SIZE 11
#define CHARACTER 8.0 /* no font has wider ones on average */
#define LINES_WIDTH 900.0
#define BARS_WIDTH 500.0 /* letters can still be read on a telephone */
#define TOP 62.0
#define BOTTOM 52.0
#define LEFT 72.0
#define EDGE 14.0
#define PANEL_TITLE 26.0
#define PANEL_TICS 34.0
#define LINES_HEIGHT 190.0
#define BAR_HEIGHT 34.0
#define LABEL_HEIGHT 17.0
#define TIC_CHARACTER 7.0
#define TIC_GAP 8.0
#define MOST_COLUMNS 4 /* of lines; panels of bars are below each other */

#define PAPER "#ffffff"
#define INK "#222222"
#define FAINT "#595959" /* as light as small letters may be */
#define AXES "#777777"
#define GRID "#dddddd"

/* Of the palette of Okabe and Ito, which colour-blind people can tell apart, those that are dark
 * enough for text, and one more; the points differ, too. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#007a5a", "#a33b7c",
                                      "#222222", "#806000", "#6b6b6b"};
static const int points[] = {7, 5, 9, 13, 11, 15, 4};
#define COLOURS (sizeof(colours) / sizeof(*colours))

/* Of the lists above. */
static size_t look_of(const struct plot *plot, const struct plot_panel *panel, size_t series)
{
    for (size_t i = 0; plot->known && plot->known[i]; i++)
        if (strcmp(plot->known[i], panel->series[series].label) == 0)
            return i % COLOURS;
    return series % COLOURS;
}

/* ---- Places ------------------------------------------------------------------------------- */

struct frame {
    FILE *out;
    const struct plot *plot;
    size_t most_columns, columns, rows;
    double width;
    double left, beside; /* left of the first panel, and right of each for its labels */
    double panel_width, panel_height, height;
};

static size_t longest_label(const struct plot *plot)
{
    size_t longest = 0;
    for (size_t i = 0; i < plot->panel_count; i++)
        for (size_t j = 0; j < plot->panels[i].series_count; j++)
            if (strlen(plot->panels[i].series[j].label) > longest)
                longest = strlen(plot->panels[i].series[j].label);
    return longest;
}

static void place_panels(struct frame *frame)
{
    size_t count = frame->plot->panel_count;
    frame->rows = (count + frame->most_columns - 1) / frame->most_columns;
    frame->columns = (count + frame->rows - 1) / frame->rows;
    frame->panel_width =
        (frame->width - frame->left - EDGE) / (double)frame->columns - frame->beside - EDGE;
    frame->height = TOP + BOTTOM +
                    (double)frame->rows * (PANEL_TITLE + frame->panel_height + PANEL_TICS) -
                    PANEL_TICS;
}

static bool is_first_column(const struct frame *frame, size_t i)
{
    return i % frame->columns == 0;
}

/* ---- Texts -------------------------------------------------------------------------------- */

/* Names and texts come from the command line and must not end a string of gnuplot's. */
static void write_text(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

/* At pixels from the top left corner. */
static void write_label(const struct frame *frame, const char *text, double x, double y,
                        const char *style)
{
    fprintf(frame->out, "set label ");
    write_text(frame->out, text);
    fprintf(frame->out, " at screen %.4f,%.4f %s\n", x / frame->width, 1 - y / frame->height,
            style);
}

/* ---- The sheet and its panels ------------------------------------------------------------- */

/* To open a pipe would wait for its reader, and to close it tell him that this was all. */
static bool is_pipe(const char *file)
{
    struct stat status;
    return stat(file, &status) == 0 && S_ISFIFO(status.st_mode);
}

/* Leaves all files as they are. */
static bool is_writable(const char *file)
{
    if (is_pipe(file))
        return access(file, W_OK) == 0;
    int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0)
        unlink(file);
    else if (errno == EEXIST)
        fd = open(file, O_WRONLY | O_CLOEXEC);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

bool plot_is_possible(const char *file)
{
    if (!is_writable(file))
        fprintf(stderr, "weft: cannot draw into %s: %s\n", file, strerror(errno));
    else if (system("gnuplot --version >/dev/null 2>&1") != 0)
        fprintf(stderr, "weft: pictures are drawn by gnuplot, which is not there: install it\n");
    else
        return true;
    return false;
}

/* Its exit code tells if it is missing or gives up. Where it cannot write the file, it would write
 * to standard output. */
static FILE *open_gnuplot(void)
{
    signal(SIGPIPE, SIG_IGN);
    return popen("gnuplot >/dev/null", "w");
}

static void open_sheet(const struct frame *frame, const char *file)
{
    FILE *out = frame->out;
    fprintf(out,
            "set terminal svg size %.0f,%.0f font '" FONT ",%d' background '" PAPER
            "' noenhanced\nset output ",
            frame->width, frame->height, FONT_SIZE);
    write_text(out, file);
    fprintf(out,
            "\nset multiplot\nunset key\nset tics nomirror textcolor rgb '" INK "'\n"
            "set xtics font '" FONT ",%d'\nset border 3 linecolor rgb '" AXES "'\n"
            "set grid linetype 1 linecolor rgb '" GRID "'\n",
            TIC_SIZE);
}

static void write_headings(const struct frame *frame)
{
    char style[64];
    snprintf(style, sizeof(style), "left font '" FONT ",%d' textcolor rgb '" INK "'", TITLE_SIZE);
    write_label(frame, frame->plot->title, EDGE, 20, style);
    write_label(frame, frame->plot->note, EDGE, 42, "left textcolor rgb '" FAINT "'");
    write_label(frame, frame->plot->x_axis, frame->left, frame->height - EDGE,
                "left textcolor rgb '" INK "'");
}

/* Returns where its top left corner is. */
static void open_panel(const struct frame *frame, size_t i, double *x, double *y)
{
    *x = frame->left + (double)(i % frame->columns) * (frame->panel_width + frame->beside + EDGE);
    *y = TOP + PANEL_TITLE +
         (double)(i / frame->columns) * (PANEL_TITLE + frame->panel_height + PANEL_TICS);
    fprintf(frame->out, "unset label\n");
    fprintf(frame->out, "set lmargin at screen %.4f\nset rmargin at screen %.4f\n",
            *x / frame->width, (*x + frame->panel_width) / frame->width);
    fprintf(frame->out, "set tmargin at screen %.4f\nset bmargin at screen %.4f\n",
            1 - *y / frame->height, 1 - (*y + frame->panel_height) / frame->height);
    if (i == 0)
        write_headings(frame);
    write_label(frame, frame->plot->panels[i].title, *x, *y - 12, "left textcolor rgb '" INK "'");
}

static bool close_sheet(const struct frame *frame, const char *file)
{
    fprintf(frame->out, "unset multiplot\n");
    if (pclose(frame->out) == 0)
        return true;
    fprintf(stderr,
            "weft: %s was not drawn: is gnuplot here (package gnuplot-nox), and may "
            "the file be written?\n",
            file);
    return false;
}

static bool has_something(const struct plot *plot, const char *file)
{
    if (plot->panel_count == 0)
        fprintf(stderr, "weft: %s was not drawn: nothing of what it shows was measured\n", file);
    return plot->panel_count > 0;
}

/* ---- Lines -------------------------------------------------------------------------------- */

#define MARGIN 1.1 /* on both sides of a logarithmic x */
#define SIDE 0.3   /* the same between places */
#define ROOM 0.1   /* above and, if they are negative, below values, as a part of their range */

struct ranges {
    double least_x, most_x, least_y, most_y;
    bool is_linear;
};

/* How far below the top of a panel, as a part of its height. */
static double depth_of(const struct ranges *ranges, double y)
{
    if (ranges->is_linear)
        return (ranges->most_y - y) / (ranges->most_y - ranges->least_y);
    return log(ranges->most_y / y) / log(ranges->most_y / ranges->least_y);
}

/* Of all panels, with some room; 1 and 2 are always to be seen, so that there is a scale. */
static struct ranges find_ranges(const struct plot *plot)
{
    struct ranges ranges = {INFINITY, 0, 1, 2, false};
    for (size_t i = 0; i < plot->panel_count; i++)
        for (size_t j = 0; j < plot->panels[i].series_count; j++) {
            const struct plot_series *series = &plot->panels[i].series[j];
            for (size_t k = 0; k < series->count; k++) {
                ranges.least_x = fmin(ranges.least_x, series->x[k]);
                ranges.most_x = fmax(ranges.most_x, series->x[k]);
                ranges.least_y = fmin(ranges.least_y, series->y[k]);
                ranges.most_y = fmax(ranges.most_y, series->y[k]);
            }
        }
    double room = pow(ranges.most_y / ranges.least_y, 0.05) * 1.05;
    ranges.least_y /= room;
    ranges.most_y *= room;
    return ranges;
}

static double tic_width(const struct ranges *ranges)
{
    char text[32];
    size_t longest = 0;
    for (double x = ranges->least_x; x <= ranges->most_x; x *= 2) {
        plot_name_bytes(x, text, sizeof(text));
        if (strlen(text) > longest)
            longest = strlen(text);
    }
    return TIC_CHARACTER * (double)longest + TIC_GAP;
}

static void write_x_tics(const struct frame *frame, const struct ranges *ranges)
{
    double doublings = log2(ranges->most_x / ranges->least_x);
    double step = fmax(1, ceil(doublings / floor(frame->panel_width / tic_width(ranges))));
    char text[32];
    fprintf(frame->out, "set xtics (");
    for (double x = ranges->least_x; x <= ranges->most_x; x *= exp2(step)) {
        plot_name_bytes(x, text, sizeof(text));
        fprintf(frame->out, "%s'%s' %g", x > ranges->least_x ? ", " : "", text, x);
    }
    fprintf(frame->out, ")\n");
}

/* Labels of tics are formats. */
static void write_format(FILE *out, const char *text)
{
    char format[2 * PLOT_TEXT];
    size_t length = 0;
    for (; *text && length < sizeof format - 2; text++) {
        if (*text == '%')
            format[length++] = '%';
        format[length++] = *text;
    }
    format[length] = '\0';
    write_text(out, format);
}

static void write_names(const struct frame *frame)
{
    fprintf(frame->out, "set xtics (");
    for (size_t i = 0; i < frame->plot->x_name_count; i++) {
        fprintf(frame->out, i ? ", " : "");
        write_format(frame->out, frame->plot->x_names[i]);
        fprintf(frame->out, " %zu", i);
    }
    fprintf(frame->out, ")\n");
}

static void write_y_tics(const struct frame *frame, const struct ranges *ranges, bool has_numbers)
{
    if (ranges->is_linear) {
        fprintf(frame->out, "set ytics auto\nset format y '%s'\n", has_numbers ? "%g" : "");
        return;
    }
    static const double few[] = {0.25, 0.5, 1, 2, 4, 8, 16};
    static const double many[] = {0.01, 0.1, 1, 3, 10, 30, 100, 300, 1000};
    bool is_wide = ranges->most_y / ranges->least_y > 20;
    const double *tics = is_wide ? many : few;
    size_t count = is_wide ? sizeof(many) / sizeof(*many) : sizeof(few) / sizeof(*few);
    fprintf(frame->out, "set ytics (");
    for (size_t i = 0; i < count; i++)
        fprintf(frame->out, "%s%g", i ? ", " : "", tics[i]);
    fprintf(frame->out, ")\nset format y '%s'\n", has_numbers ? "%g" : "");
}

/* Labels at the ends of lines, as near to them as their height allows. */
static void write_end_labels(const struct frame *frame, const struct plot_panel *panel,
                             const struct ranges *ranges, double x, double y)
{
    size_t order[PLOT_MOST_SERIES];
    double ends[PLOT_MOST_SERIES];
    size_t count = panel->series_count;
    for (size_t i = 0; i < count; i++) {
        const struct plot_series *series = &panel->series[i];
        ends[i] = y + frame->panel_height * depth_of(ranges, series->y[series->count - 1]);
        size_t place = i;
        for (; place > 0 && ends[order[place - 1]] >= ends[i]; place--)
            order[place] = order[place - 1];
        order[place] = i;
    }
    for (size_t i = 1; i < count; i++)
        ends[order[i]] = fmax(ends[order[i]], ends[order[i - 1]] + LABEL_HEIGHT);
    double lowest = y + frame->panel_height;
    for (size_t i = count; i-- > 0; lowest -= LABEL_HEIGHT)
        lowest = ends[order[i]] = fmin(ends[order[i]], lowest);
    for (size_t i = 0; i < count; i++) {
        char style[64];
        snprintf(style, sizeof(style), "left textcolor rgb '%s'",
                 colours[look_of(frame->plot, panel, i)]);
        write_label(frame, panel->series[i].label, x + frame->panel_width + 10, ends[i], style);
    }
}

/* If not, bars of no height would cross the line at each point. */
static bool varies(const struct plot_series *series)
{
    for (size_t i = 0; i < series->count; i++)
        if (series->least[i] < series->most[i])
            return true;
    return false;
}

static void write_panel_lines(const struct frame *frame, const struct plot_panel *panel,
                              bool has_one)
{
    for (size_t i = 0; i < panel->series_count; i++) {
        const struct plot_series *series = &panel->series[i];
        fprintf(frame->out, "$line%zu << END\n", i);
        for (size_t k = 0; k < series->count; k++)
            fprintf(frame->out, "%g %.4f %.4f %.4f\n", series->x[k], series->y[k],
                    series->least[k], series->most[k]);
        fprintf(frame->out, "END\n");
    }
    fprintf(frame->out, "plot ");
    if (has_one)
        fprintf(frame->out, "1 with lines linewidth 1.5 linecolor rgb '" AXES "' dashtype 2, ");
    for (size_t i = 0; i < panel->series_count; i++) {
        size_t look = look_of(frame->plot, panel, i);
        fprintf(frame->out,
                "%s$line%zu with %s linewidth 2 pointsize 0.6 pointtype %d linecolor rgb '%s'",
                i ? ", " : "", i, varies(&panel->series[i]) ? "yerrorlines" : "linespoints",
                points[look], colours[look]);
    }
    fprintf(frame->out, "\n");
}

static void write_scales(const struct frame *frame, const struct ranges *ranges)
{
    double below = ranges->is_linear ? SIDE : ranges->least_x * (1 - 1 / MARGIN);
    double above = ranges->is_linear ? SIDE : ranges->most_x * (MARGIN - 1);
    fprintf(frame->out, "%sset xrange [%g:%g]\nset yrange [%g:%g]\n",
            ranges->is_linear ? "" : "set logscale xy\n", ranges->least_x - below,
            ranges->most_x + above, ranges->least_y, ranges->most_y);
    if (ranges->is_linear)
        write_names(frame);
    else
        write_x_tics(frame, ranges);
}

static bool draw_lines(const char *file, const struct plot *plot, const struct ranges *ranges)
{
    struct frame frame = {.out = open_gnuplot(),
                          .plot = plot,
                          .most_columns = MOST_COLUMNS,
                          .width = LINES_WIDTH,
                          .left = LEFT,
                          .beside = CHARACTER * (double)longest_label(plot) + 10,
                          .panel_height = LINES_HEIGHT};
    if (!frame.out)
        return false;
    place_panels(&frame);
    open_sheet(&frame, file);
    write_scales(&frame, ranges);
    for (size_t i = 0; i < plot->panel_count; i++) {
        double x, y;
        open_panel(&frame, i, &x, &y);
        write_y_tics(&frame, ranges, is_first_column(&frame, i));
        if (is_first_column(&frame, i))
            write_label(&frame, plot->y_axis, 20, y + frame.panel_height / 2,
                        "center rotate by 90 textcolor rgb '" INK "'");
        write_end_labels(&frame, &plot->panels[i], ranges, x, y);
        write_panel_lines(&frame, &plot->panels[i], plot->is_relative || !ranges->is_linear);
    }
    return close_sheet(&frame, file);
}

bool plot_lines(const char *file, const struct plot *plot)
{
    if (!has_something(plot, file))
        return false;
    struct ranges ranges = find_ranges(plot);
    return draw_lines(file, plot, &ranges);
}

/* Of what is to be seen of each series, but at least this. */
static double largest(const struct plot *plot, double (*seen)(const struct plot_series *series),
                      double least)
{
    double most = least;
    for (size_t i = 0; i < plot->panel_count; i++)
        for (size_t j = 0; j < plot->panels[i].series_count; j++)
            most = fmax(most, seen(&plot->panels[i].series[j]));
    return most;
}

static double top_of_ranges(const struct plot_series *series)
{
    double most = 0;
    for (size_t i = 0; i < series->count; i++)
        most = fmax(most, series->most[i]);
    return most;
}

/* How far below 0 they reach. */
static double depth_of_ranges(const struct plot_series *series)
{
    double depth = 0;
    for (size_t i = 0; i < series->count; i++)
        depth = fmax(depth, -series->least[i]);
    return depth;
}

bool plot_ranges(const char *file, const struct plot *plot)
{
    if (!has_something(plot, file))
        return false;
    double top = largest(plot, top_of_ranges, 0), depth = largest(plot, depth_of_ranges, 0);
    double room = ROOM * (top + depth);
    const struct ranges ranges = {0, (double)plot->x_name_count - 1, depth > 0 ? -depth - room : 0,
                                  top + room, true};
    return draw_lines(file, plot, &ranges);
}

/* ---- Bars --------------------------------------------------------------------------------- */

static void write_panel_bars(const struct frame *frame, const struct plot_panel *panel,
                             bool has_names)
{
    fprintf(frame->out, "set ytics scale 0 (");
    for (size_t i = 0; i < panel->series_count; i++) {
        fprintf(frame->out, i ? ", " : "");
        write_text(frame->out, has_names ? panel->series[i].label : "");
        fprintf(frame->out, " %zu", i);
    }
    fprintf(frame->out, ")\n$bars << END\n");
    for (size_t i = 0; i < panel->series_count; i++)
        fprintf(frame->out, "%zu %.4f %d\n", i, panel->series[i].y[0], panel->series[i].role);
    fprintf(frame->out,
            "END\nset yrange [%.2f:-0.5]\nset arrow 1 from 1, graph 0 to 1, graph 1 nohead front "
            "dashtype 2 linewidth 1.5 linecolor rgb '" AXES "'\n",
            (double)panel->series_count - 0.5);
    for (enum plot_role role = PLOT_OURS; role <= PLOT_OTHERS; role++)
        fprintf(frame->out,
                "%s $bars using ($3 == %d ? $2 : NaN):1:(0):2:($1 - 0.35):($1 + 0.35) "
                "with boxxyerror fillstyle solid noborder linecolor rgb '%s'",
                role == PLOT_OURS ? "plot" : ",", role, colours[role]);
    fprintf(frame->out, "\n");
}

/* In a column of their own, where no bar ends and no line passes. */
static void write_values(const struct frame *frame, const struct plot_panel *panel, double x,
                         double y)
{
    for (size_t i = 0; i < panel->series_count; i++) {
        char text[32];
        snprintf(text, sizeof(text), "%.2f", panel->series[i].y[0]);
        write_label(frame, text, x + frame->panel_width + 8, y + ((double)i + 0.5) * BAR_HEIGHT,
                    "left textcolor rgb '" INK "'");
    }
}

static double end_of_bar(const struct plot_series *series)
{
    return series->y[0];
}

bool plot_bars(const char *file, const struct plot *plot)
{
    if (!has_something(plot, file))
        return false;
    const double most = largest(plot, end_of_bar, 1);
    struct frame frame = {.out = open_gnuplot(),
                          .plot = plot,
                          .most_columns = 1,
                          .width = BARS_WIDTH,
                          .left = CHARACTER * (double)longest_label(plot) + EDGE,
                          .beside = CHARACTER * (double)sizeof("0.00"),
                          .panel_height = BAR_HEIGHT * (double)plot->panels[0].series_count};
    if (!frame.out)
        return false;
    place_panels(&frame);
    open_sheet(&frame, file);
    fprintf(frame.out, "set xrange [0:%g]\nset xtics %g\nset grid noytics\n", most * 1.02,
            most < 2 ? 0.5 : ceil(most / 5));
    for (size_t i = 0; i < plot->panel_count; i++) {
        double x, y;
        open_panel(&frame, i, &x, &y);
        write_values(&frame, &plot->panels[i], x, y);
        write_panel_bars(&frame, &plot->panels[i], is_first_column(&frame, i));
    }
    return close_sheet(&frame, file);
}
