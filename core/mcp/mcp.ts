import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { mcpOperations } from '#ports/api/mcp';
import { changes } from '#ports/api/operation';
import { Catalogue, type CatalogueRow } from '#ports/catalogue';
import { Failure, isFailure } from '#ports/failure';
import { Ids } from '#ports/ids';
import { Log } from '#ports/log';
import { Mcp, type McpResult, type McpTool } from '#ports/mcp';
import { Operations } from '#ports/operations';
import { inputOf, textOf } from './calling.js';
import { mcpSettings } from './settings.js';
import type { Tool } from './tool.js';
import { tools } from './tools/tools.js';

const instructions =
  'Orrery tracks machine-learning runs, registers models, and keeps traces, prompts and datasets of LLM applications. Start with list_projects, whose ids most other tools take. Lists come by page; ask for small ones.';

/** A tool whose operation is there. */
interface Served {
  readonly tool: Tool;
  readonly row: CatalogueRow;
}

/** The tools of the operations that this server has, by name. */
const servedBy = (rows: readonly CatalogueRow[]): ReadonlyMap<string, Served> => {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return new Map(
    tools.flatMap((tool) => {
      const row = byId.get(tool.operation);
      return row === undefined ? [] : [[tool.name, { tool, row }] as const];
    }),
  );
};

const toldOf = ({ tool: { name, title, description, takes }, row }: Served): McpTool => ({
  name,
  title,
  description,
  takes: {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(takes).map(([one, { schema, says }]) => [
        one,
        { ...schema, description: says },
      ]),
    ),
    required: Object.entries(takes).flatMap(([one, { required }]) => (required ? [one] : [])),
    additionalProperties: false,
  },
  changes: changes(row.operation),
});

export const mcpArea = area({
  name: 'mcp',
  summary: 'Tools for agents by the Model Context Protocol, each of which is an operation.',
  family: privateFamily,
  table: mcpOperations,
  settings: mcpSettings,
  needs: {
    mcp: Mcp,
    operations: Operations,
    catalogue: Catalogue,
    settings: mcpSettings.port,
    ids: Ids,
    log: Log,
  },
  handlers: ({ mcp, operations, catalogue, settings, ids, log }) => {
    let known: ReadonlyMap<string, Served> | undefined;
    const served = () => (known ??= servedBy(catalogue.rows()));
    const mostBytes = settings.ORRERY_MCP_RESULT_KB * 1024;

    const refusalOf = (tool: string, thrown: unknown): McpResult => {
      if (isFailure(thrown)) return { text: thrown.message, refused: true };
      const id = ids.next();
      log.error('a tool failed unexpectedly', { tool, callId: id, error: thrown });
      return { text: `the server failed on this call; its id is ${id}`, refused: true };
    };

    return {
      async answerMcp({ body, caller, headers, address, source, signal }) {
        return mcp.answer(
          { body, headers },
          {
            name: 'orrery',
            version: settings.version,
            instructions,
            tools: [...served().values()].map(toldOf),
            async call(name, given) {
              try {
                const found = served().get(name);
                if (found === undefined)
                  throw new Failure('absent', `there is no tool ${name.slice(0, 60)}`);
                const { tool, row } = found;
                const result = await operations.call(
                  tool.operation,
                  {
                    ...inputOf(tool, given, headers['comet-workspace']),
                    from: { address, source, signal },
                  },
                  caller,
                );
                return { text: await textOf(row.operation, result, mostBytes), refused: false };
              } catch (thrown) {
                return refusalOf(name, thrown);
              }
            },
          },
        );
      },
    };
  },
});
