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

/** The one version of the protocol in which clients send several messages at once; whoever names no version speaks it. */
const versionOfLists = '2025-03-26';
const mostOfList = 20;

const refused = (message: string): McpReply => ({
  status: 400,
  body: {
    jsonrpc: '2.0',
    id: null,
    error: { code: -32_600, message: `Invalid Request: ${message}` },
  },
});

/** Why a list of messages is no request; undefined for one that may be answered. */
const refusalOfList = (
  messages: readonly unknown[],
  version = versionOfLists,
): McpReply | undefined => {
  if (version !== versionOfLists)
    return refused(`version ${version.slice(0, 20)} of the protocol has one message in a request`);
  if (messages.length === 0) return refused('the list holds no message');
  if (messages.length > mostOfList)
    return refused(`a list must hold at most ${mostOfList} messages`);
  if (messages.some((one) => Array.isArray(one)))
    return refused('a list must hold messages, and no lists');
  const isHello = (one: unknown) => (one as { method?: unknown } | null)?.method === 'initialize'; // any value but null and undefined can be asked for a member
  return messages.some(isHello) ? refused('initialize must be alone in a request') : undefined;
};

/** What a single message is answered. */
type OneReply = McpReply & { readonly body: McpAnswer | undefined };

const toReply = async (response: Response): Promise<OneReply> => {
  const { status } = response;
  if (status === 202) return { status, body: undefined };
  if (status === 200 || status === 400 || status === 404)
    return { status, body: (await response.json()) as McpAnswer }; // a message of JSON-RPC
  throw new Error(`the protocol answered ${status}`);
};

const answerOne = async (sdk: Sdk, message: McpMessage, tools: McpTools): Promise<OneReply> => {
  const request = requestOf(message);
  const isFirst = await sdk.isLegacyRequest(request, message.body);
  if (isFirst)
    return toReply(await answerFirstForm(sdk, serverOf(sdk, tools), request, message.body));
  const { fetch } = sdk.createMcpHandler(() => serverOf(sdk, tools), {
    legacy: 'reject',
    maxSubscriptions: 0, // nothing that it tells of ever changes
  });
  return toReply(await fetch(request, { parsedBody: message.body }));
};

/** Messages that came at once, one after the other: none of them waits for a place that another one holds. */
const answerList = async (
  sdk: Sdk,
  { body: _, headers }: McpMessage,
  messages: readonly unknown[],
  tools: McpTools,
): Promise<McpReply> => {
  const answers: McpAnswer[] = [];
  for (const body of messages) {
    const { body: answer } = await answerOne(sdk, { body, headers }, tools);
    if (answer !== undefined) answers.push(answer);
  }
  return answers.length === 0 ? { status: 202, body: undefined } : { status: 200, body: answers };
};

export const streamableMcp = (): Mcp => {
  let loading: Promise<Sdk> | undefined;
  return {
    async answer(message, tools) {
      const sdk = await (loading ??= import('@modelcontextprotocol/server'));
      const { body, headers } = message;
      if (!Array.isArray(body)) return answerOne(sdk, message, tools);
      const messages = body as readonly unknown[]; // a list, as was just checked
      return (
        refusalOfList(messages, headers['mcp-protocol-version']) ??
        answerList(sdk, message, messages, tools)
      );
    },
  };
};
