import { expect } from 'chai';
import type { Mcp, McpAnswer, McpMessage, McpReply, McpTool, McpTools } from '#ports/mcp';

type Json = Readonly<Record<string, unknown>>;
type Call = readonly [name: string, given: Json];

const read: McpTool = {
  name: 'read_thing',
  title: 'Read a thing',
  description: 'Gives a thing by its number.',
  takes: {
    type: 'object',
    properties: { number: { type: 'number', description: 'Which one' } },
    required: ['number'],
    additionalProperties: false,
  },
  changes: false,
};
const write: McpTool = {
  ...{ name: 'write_thing', title: 'Write a thing', description: 'Keeps a thing.' },
  takes: { type: 'object', properties: {}, required: [], additionalProperties: false },
  changes: true,
};

/** What every adapter of the Model Context Protocol keeps to. Each case asks an adapter that has seen no message before. */
export const mcpContract = (open: () => Mcp): void => {
  const serve = () => {
    const calls: Call[] = [];
    const tools: McpTools = {
      ...{ name: 'things', version: '1.2.3', instructions: 'Ask for things.' },
      tools: [read, write],
      call: async (name, given) => {
        calls.push([name, given]);
        return { text: `${name} was called`, refused: name === 'write_thing' };
      },
    };
    const mcp = open();
    const answer = (body: unknown, headers: McpMessage['headers'] = {}): Promise<McpReply> =>
      mcp.answer({ body, headers }, tools);
    return { answer, calls };
  };
  const message = (method: string, params?: Json, id: unknown = 1) => ({
    ...{ jsonrpc: '2.0', id, method },
    ...(params === undefined ? {} : { params }),
  });
  /** The answer to a single message. */
  const singleOf = ({ body }: McpReply): McpAnswer | undefined => {
    expect(body).not.to.be.an('array');
    return body as McpAnswer | undefined; // as was just looked at
  };
  const resultOf = (reply: McpReply): Json => {
    const body = singleOf(reply);
    expect(reply.status, JSON.stringify(body)).to.equal(200);
    expect(body).not.to.have.property('error');
    return body?.result ?? {};
  };
  const codeOf = (reply: McpReply): unknown =>
    (singleOf(reply)?.error as { readonly code?: unknown } | undefined)?.code; // any error can be asked for its code
  const told = { 'mcp-protocol-version': '2025-06-18' };

  it('greets a client in the version that it asks for, with what the server is called', async () => {
    const { answer } = serve();
    const hello = (protocolVersion: string) =>
      answer(
        message('initialize', {
          ...{ protocolVersion, capabilities: {} },
          clientInfo: { name: 'client', version: '0' },
        }),
      );
    for (const version of ['2025-03-26', '2025-06-18'])
      expect(resultOf(await hello(version))).to.deep.include({
        ...{ protocolVersion: version, instructions: 'Ask for things.' },
        serverInfo: { name: 'things', version: '1.2.3' },
      });
    expect(resultOf(await hello('2025-06-18'))['capabilities']).to.have.property('tools');
    // Of one that nobody knows it names another, which the client may refuse.
    expect(resultOf(await hello('1999-01-01'))['protocolVersion']).not.to.equal('1999-01-01');
  });

  it('remembers nothing between messages: each is answered without a greeting before', async () => {
    const list = () => serve().answer(message('tools/list'), told);
    const first = resultOf(await list());

    expect(resultOf(await list())).to.deep.equal(first);
    expect(resultOf(await serve().answer(message('ping')))).to.deep.equal({});
    const named = { ...told, 'mcp-session-id': 'of another server' };
    expect(resultOf(await serve().answer(message('tools/list'), named))).to.deep.equal(first);
  });

  it('tells of each tool what it takes, and whether it changes anything', async () => {
    const { tools } = resultOf(await serve().answer(message('tools/list'), told));
    const [one, other, ...more] = tools as readonly Json[]; // as the protocol has it

    expect(more).to.deep.equal([]);
    const { takes, changes: _, ...said } = read;
    expect(one).to.deep.include({ ...said, inputSchema: takes });
    expect(one?.['annotations']).to.deep.include({ readOnlyHint: true, destructiveHint: false });
    expect(other?.['name']).to.equal('write_thing');
    expect(other?.['annotations']).to.deep.include({ readOnlyHint: false });
  });

  it('calls a tool with what was given, and says whether it was refused', async () => {
    const { answer, calls } = serve();
    const call = (name: string, given?: Json) =>
      answer(message('tools/call', { name, ...(given && { arguments: given }) }), told);

    expect(resultOf(await call('read_thing', { number: 7 }))).to.deep.include({
      ...{ content: [{ type: 'text', text: 'read_thing was called' }], isError: false },
    });
    expect(resultOf(await call('write_thing'))).to.deep.include({
      ...{ content: [{ type: 'text', text: 'write_thing was called' }], isError: true },
    });
    expect(calls).to.deep.equal([
      ['read_thing', { number: 7 }],
      ['write_thing', {}],
    ]);
  });

  it('answers each message under its own id, and a notification not at all', async () => {
    const { answer, calls } = serve();
    for (const id of [0, 'text', 9_007_199_254_740_991])
      expect(singleOf(await answer(message('ping', undefined, id)))?.id).to.equal(id);
    for (const body of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, result: {} },
    ])
      expect(await answer(body)).to.deep.equal({ status: 202, body: undefined });
    expect(calls).to.deep.equal([]);
  });

  it('answers messages that come at once as version 2025-03-26 has them, and in no other version', async () => {
    const { answer, calls } = serve();
    const both = [
      message('tools/call', { name: 'read_thing', arguments: { number: 7 } }, 'a'),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      message('things/steal', undefined, 2),
    ];
    const old = { 'mcp-protocol-version': '2025-03-26' };

    for (const headers of [{}, old]) {
      const { status, body } = await answer(both, headers);
      const answers = body as readonly McpAnswer[]; // as is looked at now
      expect([status, answers.map(({ id }) => id)]).to.deep.equal([200, ['a', 2]]);
      expect(answers[0]?.['result']).to.deep.include({
        content: [{ type: 'text', text: 'read_thing was called' }],
      });
      expect(answers[1]?.['error']).to.deep.include({ code: -32_601 });
    }
    expect(calls).to.have.length(2);
    expect(await answer([both[1]], old)).to.deep.equal({ status: 202, body: undefined });
    const hello = message('initialize', {
      ...{ protocolVersion: '2025-03-26', capabilities: {} },
      clientInfo: { name: 'client', version: '0' },
    });
    for (const [body, headers] of [
      [both, told],
      [[hello, both[0]], {}],
      [Array.from({ length: 101 }, (_, id) => message('ping', undefined, id)), {}],
      [[both], {}],
    ] as const) {
      const reply = await answer(body, headers);
      expect([reply.status, codeOf(reply)]).to.deep.equal([400, -32_600]);
    }
    expect(calls).to.have.length(2);
  });

  it('refuses what it does not know, without calling anything', async () => {
    const { answer, calls } = serve();

    expect(codeOf(await answer(message('things/steal')))).to.equal(-32_601);
    expect(codeOf(await answer(message('tools/call', {})))).to.equal(-32_602);
    expect(
      codeOf(await answer(message('tools/call', { name: 'read_thing', arguments: 3 }))),
    ).to.equal(-32_602);
    for (const body of [{ jsonrpc: '1.0', id: 1, method: 'ping' }, {}, [], 'ping', null]) {
      const reply = await answer(body);
      expect([reply.status, codeOf(reply)], JSON.stringify(body)).to.deep.equal([400, -32_600]);
    }
    const unknown = await answer(message('ping'), { 'mcp-protocol-version': '1999-01-01' });
    expect([unknown.status, codeOf(unknown) === undefined]).to.deep.equal([400, false]);
    expect(calls).to.deep.equal([]);
  });
};
