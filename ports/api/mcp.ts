// Where clients of the Model Context Protocol call tools, each of which is an operation.
import { operations } from './operation.js';
import { anything, oneOrMany, optional, record, shape, titled, word } from './schema.js';

/** Where the metadata is by which a client of OAuth finds who gives out tokens for the tools. */
export const mcpMetadataPath = '/.well-known/oauth-protected-resource/api/v1/mcp';

const reply = shape('McpReply', 'A reply of JSON-RPC 2.0.', {
  jsonrpc: word('2.0'),
  id: optional(anything()),
  result: optional(record()),
  error: optional(anything()),
});

export const mcpOperations = operations({
  answerMcp: {
    method: 'POST',
    path: '/api/v1/mcp',
    access: { needs: 'caller', about: 'caller', by: ['key', 'token'], changes: false },
    // A credential is sent along by the page itself: no cookie is one here.
    wire: { resourceMetadata: mcpMetadataPath, cors: 'open' },
    summary:
      'Answer a message of the Model Context Protocol (streamable HTTP, without sessions); a call of a tool is held to the rules of its operation',
    // A message, or a list of them, which is refused in the words of the protocol where it is neither.
    body: titled('McpMessage', anything()),
    replies: { 200: oneOrMany(reply), 202: null, 400: reply, 404: reply },
    fails: ['invalid', 'forbidden'],
  },
});
