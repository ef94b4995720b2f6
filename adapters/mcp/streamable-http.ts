// The Model Context Protocol by its official SDK, which is loaded with the first message.
import type * as SdkModule from '@modelcontextprotocol/server';
import type { Server } from '@modelcontextprotocol/server';
import type { Mcp, McpAnswer, McpMessage, McpReply, McpTools } from '#ports/mcp';

type Sdk = typeof SdkModule;

const serverOf = (sdk: Sdk, { name, version, instructions, tools, call }: McpTools): Server => {
  const server = new sdk.Server({ name, version }, { capabilities: { tools: {} }, instructions });
  server.setRequestHandler('tools/list', () => ({
    tools: tools.map(({ takes, changes, ...said }) => ({
      ...said,
      inputSchema: { ...takes, type: 'object' as const },
      annotations: { readOnlyHint: !changes, destructiveHint: false, openWorldHint: false },
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const { text, refused } = await call(params.name, params.arguments ?? {});
    return { content: [{ type: 'text' as const, text }], isError: refused };
  });
  return server;
};

/** A request with the headers of the protocol. What it accepts is not looked at: a reply without sessions is JSON. */
const requestOf = ({ headers }: McpMessage): Request => {
  const told = Object.entries(headers).filter(
    (pair): pair is [string, string] => pair[0].startsWith('mcp-') && pair[1] !== undefined,
  );
  return new Request('http://localhost/', {
    method: 'POST',
    headers: {
      ...Object.fromEntries(told),
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
  });
};

/** Messages of the protocol's first form begin with a handshake, of which nothing is remembered. */
const answerFirstForm = async (
  sdk: Sdk,
  server: Server,
  request: Request,
  parsedBody: unknown,
): Promise<Response> => {
  const transport = new sdk.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody });
  } finally {
    await server.close();
  }
};

const toReply = async (response: Response): Promise<McpReply> => {
  const { status } = response;
  if (status === 202) return { status, body: undefined };
  if (status === 200 || status === 400 || status === 404)
    return { status, body: (await response.json()) as McpAnswer }; // a message of JSON-RPC
  throw new Error(`the protocol answered ${status}`);
};

export const streamableMcp = (): Mcp => {
  let loading: Promise<Sdk> | undefined;
  return {
    async answer(message, tools) {
      const sdk = await (loading ??= import('@modelcontextprotocol/server'));
      const request = requestOf(message);
      const isFirst = await sdk.isLegacyRequest(request, message.body);
      if (isFirst)
        return toReply(await answerFirstForm(sdk, serverOf(sdk, tools), request, message.body));
      const { fetch } = sdk.createMcpHandler(() => serverOf(sdk, tools), {
        legacy: 'reject',
        maxSubscriptions: 0, // nothing that it tells of ever changes
      });
      return toReply(await fetch(request, { parsedBody: message.body }));
    },
  };
};
