# Targets that are run by hand: format, format-check, lint, check-layers.

# Adds the target <name>, which runs a script of tools/ with the given arguments.
function(weir_add_tool name script)
  add_custom_target(
    ${name}
    COMMAND "${PROJECT_SOURCE_DIR}/tools/${script}" ${ARGN}
    USES_TERMINAL VERBATIM)
endfunction()

weir_add_tool(format format)
weir_add_tool(format-check format --check)
weir_add_tool(lint lint "${PROJECT_BINARY_DIR}")
weir_add_tool(check-layers check-layers)
if(TARGET weir_proto)
  add_dependencies(lint weir_proto)
endif()
