/* Heddle's version, as tools print it and as objects and statistics record it. */
#ifndef HEDDLE_VERSION_H
#define HEDDLE_VERSION_H

#define HD_VERSION "0.2.0"
/* Of manual pages. */
#define HD_VERSION_DATE "November 29, 2026"

#endif
