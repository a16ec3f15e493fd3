/* The presets that ship, presets/NAME.json, made part of the program by tools/embed. */
#ifndef ANALYSIS_PRESET_FILES_H
#define ANALYSIS_PRESET_FILES_H

extern const char preset_pithtrain[], preset_pithtrain_sha256[];

#endif
