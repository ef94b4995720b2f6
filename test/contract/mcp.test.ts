import { expect } from 'chai';
import { streamableMcp } from '#adapters/mcp/streamable-http';
import type { Mcp, McpAnswer, McpReply } from '#ports/mcp';
import { mcpContract } from './mcp.js';
import { runAside } from './teeth.js';

describe('the Model Context Protocol by its SDK', () => {
  mcpContract(streamableMcp);
});

describe('the suite of the Model Context Protocol', () => {
  const singleOf = ({ body }: McpReply) => body as McpAnswer | undefined; // lists are left as they are
  const broken: Readonly<Record<string, (reply: McpReply) => McpReply>> = {
    'answers notifications': (reply) =>
      reply.status === 202 ? { status: 200, body: { jsonrpc: '2.0' } } : reply,
    'answers under another id': (reply) =>
      reply.body === undefined || Array.isArray(reply.body)
        ? reply
        : ({ ...reply, body: { ...reply.body, id: 'another' } } as McpReply), // the same reply but for one member
    'lets everything pass': (reply) =>
      reply.status === 400 ? { status: 202, body: undefined } : reply,
    'says that nothing was refused': (reply) => {
      const body = singleOf(reply);
      if (body?.result?.['isError'] !== true) return reply;
      return {
        ...reply,
        body: { ...body, result: { ...body.result, isError: false } },
      } as McpReply; // the same reply but for one member
    },
    'answers a list as a single message': (reply) =>
      Array.isArray(reply.body) ? ({ ...reply, body: reply.body[0] } as McpReply) : reply, // one of its own answers
  };
  for (const [what, change] of Object.entries(broken))
    it(`turns red for an adapter that ${what}`, async () => {
      const { failed } = await runAside(() => {
        mcpContract((): Mcp => {
          const mcp = streamableMcp();
          return { answer: async (message, tools) => change(await mcp.answer(message, tools)) };
        });
      });
      expect(failed).not.to.deep.equal([]);
    });
});
