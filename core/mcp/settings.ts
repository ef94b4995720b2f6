import { areaSettings, whole } from '#ports/area-settings';

export const mcpSettings = areaSettings('mcp', {
  ORRERY_MCP_RESULT_KB: whole(
    512,
    'Most that a tool of the Model Context Protocol answers; a larger result is refused with a hint to ask for less',
    1,
    65_536,
  ),
});
