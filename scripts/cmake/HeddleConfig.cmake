# find_package(Heddle): programs whose device code heddle-cc compiles, and gates on their kernels. Needs CMake 3.20.
#
#   heddle_add_executable(NAME SOURCE... [RELOCATABLE] [OPTIONS OPTION...])
#       A program from CUDA sources (.cu, by heddle-cc) and others (by the project's compilers). RELOCATABLE: device code
#       that calls into other sources, linked before the program is. OPTIONS go to heddle-cc.
#
#   heddle_compile(VARIABLE SOURCES SOURCE... [TARGET NAME] [RELOCATABLE] [OPTIONS OPTION...])
#       Object files of CUDA sources, for add_executable() or add_library() with Heddle::cudart; their names are left in
#       VARIABLE. Include folders, definitions and the C++ standard are those of TARGET, optimisation and debugging those
#       of the build type. RELOCATABLE: they still need heddle_link_device().
#
#   heddle_link_device(VARIABLE OBJECTS OBJECT... [NAME NAME] [OPTIONS OPTION...])
#       One more object file with the linked device code of relocatable ones.
#
#   heddle_add_kernel_check(NAME [TARGETS TARGET...] [FILES FILE...] [BUDGETS FILE...] [BASELINE FILE] [GPUS GPU...]
#                           [OUTPUTS FORMAT=FILE...] [OPTIONS OPTION...] [ALL])
#       A test of ctest and a target of this name that hold the kernels of built programs, kernel objects or metadata
#       against budgets and the baseline (heddle-check(1)); with ALL every build does. NAME-update rewrites the baseline.
#
# Imported targets: Heddle::heddle, Heddle::heddle-cc, Heddle::cudart (the CUDA runtime API on the simulated GPU) and
# Heddle::metadata (reading of kernel objects and metadata, include/heddle). Variables: Heddle_PREFIX, Heddle_PLUGIN.

cmake_policy(PUSH)
cmake_policy(VERSION 3.20...3.25)

get_filename_component(Heddle_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(Heddle_PLUGIN "${Heddle_PREFIX}/lib/HeddlePasses.so")

foreach(heddle_file bin/heddle bin/heddle-cc lib/HeddlePasses.so lib/libheddle-cudart.so lib/libheddle.a)
	if(NOT EXISTS "${Heddle_PREFIX}/${heddle_file}")
		set(Heddle_FOUND FALSE)
		set(Heddle_NOT_FOUND_MESSAGE "${Heddle_PREFIX}/${heddle_file} is missing")
		cmake_policy(POP)
		return()
	endif()
endforeach()

if(NOT TARGET Heddle::heddle)
	add_executable(Heddle::heddle IMPORTED)
	set_target_properties(Heddle::heddle PROPERTIES IMPORTED_LOCATION "${Heddle_PREFIX}/bin/heddle")
	add_executable(Heddle::heddle-cc IMPORTED)
	set_target_properties(Heddle::heddle-cc PROPERTIES IMPORTED_LOCATION "${Heddle_PREFIX}/bin/heddle-cc")
	add_library(Heddle::cudart SHARED IMPORTED)
	set_target_properties(Heddle::cudart PROPERTIES
		IMPORTED_LOCATION "${Heddle_PREFIX}/lib/libheddle-cudart.so"
		IMPORTED_SONAME libheddle-cudart.so
		INTERFACE_INCLUDE_DIRECTORIES "${Heddle_PREFIX}/share/heddle/include/cuda")
	add_library(Heddle::metadata STATIC IMPORTED)
	set_target_properties(Heddle::metadata PROPERTIES
		IMPORTED_LOCATION "${Heddle_PREFIX}/lib/libheddle.a"
		INTERFACE_INCLUDE_DIRECTORIES "${Heddle_PREFIX}/include;${Heddle_PREFIX}/include/heddle/support"
		INTERFACE_LINK_LIBRARIES "elf;jansson;inih;zstd;lz4;z;nettle;m")
endif()

function(heddle_reject_unknown function)
	if(ARGN)
		message(FATAL_ERROR "${function}: unknown arguments: ${ARGN}")
	endif()
endfunction()

# Run in the project's own folder, so that the metadata names its sources relative to that.
function(heddle_compile objects)
	cmake_parse_arguments(PARSE_ARGV 1 arg "RELOCATABLE" "TARGET" "SOURCES;OPTIONS")
	heddle_reject_unknown(heddle_compile ${arg_UNPARSED_ARGUMENTS})
	set(made)
	set(flags
		"$<$<CONFIG:Debug>:-g>"
		"$<$<CONFIG:Release>:-O3$<SEMICOLON>-DNDEBUG>"
		"$<$<CONFIG:RelWithDebInfo>:-O2$<SEMICOLON>-g$<SEMICOLON>-DNDEBUG>"
		"$<$<CONFIG:MinSizeRel>:-O2$<SEMICOLON>-DNDEBUG>")
	set(standard "${CMAKE_CXX_STANDARD}")
	if(arg_TARGET)
		set(standard "$<TARGET_PROPERTY:${arg_TARGET},CXX_STANDARD>")
	endif()
	list(APPEND flags "$<$<BOOL:${standard}>:-std=c++${standard}>" ${arg_OPTIONS})
	set(folder "${CMAKE_CURRENT_BINARY_DIR}/heddle.dir")
	if(arg_TARGET)
		set(folder "${folder}/${arg_TARGET}")
		set(includes "$<TARGET_PROPERTY:${arg_TARGET},INCLUDE_DIRECTORIES>")
		set(definitions "$<TARGET_PROPERTY:${arg_TARGET},COMPILE_DEFINITIONS>")
		list(APPEND flags "$<$<BOOL:${includes}>:-I$<JOIN:${includes},$<SEMICOLON>-I>>"
			"$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},$<SEMICOLON>-D>>")
	endif()
	set(stage -c)
	if(arg_RELOCATABLE)
		set(stage -dc)
	endif()
	foreach(source IN LISTS arg_SOURCES)
		get_filename_component(path "${source}" ABSOLUTE)
		file(RELATIVE_PATH name "${CMAKE_CURRENT_SOURCE_DIR}" "${path}")
		string(REPLACE ".." "up" name "${name}")
		set(object "${folder}/${name}.o")
		get_filename_component(place "${object}" DIRECTORY)
		add_custom_command(
			OUTPUT "${object}"
			BYPRODUCTS "${folder}/${name}.heddle.json"
			COMMAND ${CMAKE_COMMAND} -E make_directory "${place}"
			COMMAND Heddle::heddle-cc ${flags} -MD -MF "${object}.d" -MT "${object}" ${stage} -o "${object}" "${path}"
			DEPENDS "${path}" Heddle::heddle-cc "${Heddle_PLUGIN}"
			DEPFILE "${object}.d"
			WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
			COMMENT "Building CUDA object ${name}.o"
			COMMAND_EXPAND_LISTS VERBATIM)
		list(APPEND made "${object}")
	endforeach()
	set_source_files_properties(${made} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
	set(${objects} "${made}" PARENT_SCOPE)
endfunction()

function(heddle_link_device object)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME" "OBJECTS;OPTIONS")
	heddle_reject_unknown(heddle_link_device ${arg_UNPARSED_ARGUMENTS})
	if(NOT arg_NAME)
		set(arg_NAME device)
	endif()
	set(linked "${CMAKE_CURRENT_BINARY_DIR}/heddle.dir/${arg_NAME}.linked.o")
	add_custom_command(
		OUTPUT "${linked}"
		BYPRODUCTS "${CMAKE_CURRENT_BINARY_DIR}/heddle.dir/${arg_NAME}.linked.heddle.json"
		COMMAND Heddle::heddle-cc ${arg_OPTIONS} -dlink -o "${linked}" ${arg_OBJECTS}
		DEPENDS ${arg_OBJECTS} Heddle::heddle-cc "${Heddle_PLUGIN}"
		WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
		COMMENT "Linking the device code of ${arg_NAME}"
		COMMAND_EXPAND_LISTS VERBATIM)
	set_source_files_properties("${linked}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
	set(${object} "${linked}" PARENT_SCOPE)
endfunction()

function(heddle_add_executable name)
	cmake_parse_arguments(PARSE_ARGV 1 arg "RELOCATABLE" "" "SOURCES;OPTIONS")
	set(others ${arg_SOURCES} ${arg_UNPARSED_ARGUMENTS})
	set(sources ${others})
	list(FILTER sources INCLUDE REGEX "\\.cu$")
	list(FILTER others EXCLUDE REGEX "\\.cu$")
	if(NOT sources)
		message(FATAL_ERROR "heddle_add_executable: ${name} has no CUDA source (.cu)")
	endif()
	set(relocatable)
	if(arg_RELOCATABLE)
		set(relocatable RELOCATABLE)
	endif()
	heddle_compile(objects SOURCES ${sources} TARGET ${name} ${relocatable} OPTIONS ${arg_OPTIONS})
	set(linked)
	if(arg_RELOCATABLE)
		heddle_link_device(linked OBJECTS ${objects} NAME ${name} OPTIONS ${arg_OPTIONS})
	endif()
	add_executable(${name} ${objects} ${linked} ${others})
	set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
	target_link_libraries(${name} PRIVATE Heddle::cudart)
endfunction()

function(heddle_add_kernel_check name)
	cmake_parse_arguments(PARSE_ARGV 1 arg "ALL" "BASELINE" "TARGETS;FILES;BUDGETS;GPUS;OUTPUTS;OPTIONS")
	heddle_reject_unknown(heddle_add_kernel_check ${arg_UNPARSED_ARGUMENTS})
	if(NOT arg_TARGETS AND NOT arg_FILES)
		message(FATAL_ERROR "heddle_add_kernel_check: ${name} names no TARGETS and no FILES")
	endif()
	if(NOT arg_BUDGETS AND NOT arg_BASELINE)
		message(FATAL_ERROR "heddle_add_kernel_check: ${name} has neither BUDGETS nor a BASELINE")
	endif()
	set(command Heddle::heddle check --sources "${CMAKE_SOURCE_DIR}" ${arg_OPTIONS})
	foreach(budget IN LISTS arg_BUDGETS)
		get_filename_component(path "${budget}" ABSOLUTE)
		list(APPEND command --budget "${path}")
	endforeach()
	if(arg_BASELINE)
		get_filename_component(baseline "${arg_BASELINE}" ABSOLUTE)
		list(APPEND command --baseline "${baseline}")
	endif()
	if(arg_GPUS)
		list(JOIN arg_GPUS "," gpus)
		list(APPEND command --gpu "${gpus}")
	endif()
	set(reports)
	foreach(output IN LISTS arg_OUTPUTS)
		list(APPEND reports --output "${output}")
	endforeach()
	set(files ${arg_FILES})
	foreach(target IN LISTS arg_TARGETS)
		list(APPEND files "$<TARGET_FILE:${target}>")
	endforeach()
	set(all)
	if(arg_ALL)
		set(all ALL)
	endif()
	add_test(NAME ${name} COMMAND ${command} ${reports} ${files} WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
	add_custom_target(${name} ${all}
		COMMAND ${command} ${reports} ${files}
		DEPENDS ${arg_TARGETS} ${arg_FILES}
		WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
		COMMENT "Checking kernels: ${name}" VERBATIM)
	if(arg_BASELINE)
		add_custom_target(${name}-update
			COMMAND ${command} --update ${files}
			DEPENDS ${arg_TARGETS} ${arg_FILES}
			WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
			COMMENT "Rewriting ${arg_BASELINE}" VERBATIM)
	endif()
endfunction()

cmake_policy(POP)
