/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot.h"

#include <stdio.h>
#include <string.h>

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

bool plot_bars(const char *file, const char *title, const char *axis, const struct plot_bar *bars,
               size_t count)
{
    FILE *gnuplot = popen("gnuplot", "w");
    if (!gnuplot)
        return false;
    fprintf(gnuplot, "set terminal svg size 900,480 font 'sans,12' background 'white'\n"
                     "set output ");
    write_text(gnuplot, file);
    fprintf(gnuplot, "\nset title ");
    write_text(gnuplot, title);
    fprintf(gnuplot, "\nset ylabel ");
    write_text(gnuplot, axis);
    fprintf(gnuplot, "\nset style fill solid 0.7\nset boxwidth 0.7\nset yrange [0:*]\n"
                     "set grid ytics\nset xtics rotate by -30\nunset key\n"
                     "$bars << END\n");
    for (size_t i = 0; i < count; i++)
        fprintf(gnuplot, "%zu \"%s\" %.4f\n", i, bars[i].label, bars[i].value);
    fprintf(gnuplot, "END\n"
                     "plot $bars using 1:3:xtic(2) with boxes linecolor rgb '#3a6ea5', "
                     "1 with lines linecolor rgb '#444444' dashtype 2, "
                     "$bars using 1:3:(sprintf('%%.2f', $3)) with labels offset 0,0.7\n");
    if (pclose(gnuplot) == 0)
        return true;
    fprintf(stderr,
            "weft bench: %s was not drawn: is gnuplot here (package gnuplot-nox), and may "
            "the file be written?\n",
            file);
    return false;
}
