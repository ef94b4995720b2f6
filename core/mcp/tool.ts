// A tool of the Model Context Protocol is data: which operation it is, and where that finds what the tool is given.

/** What an argument may be, in JSON Schema. */
type Json = Readonly<Record<string, unknown>>;

export interface Argument {
  /** Where the operation reads it, in the words of its row: `query.name`, `body.update.tags`, `header.comet-workspace`. */
  readonly at: string;
  readonly schema: Json;
  /** What it is, for a model that has to choose a value. */
  readonly says: string;
  readonly required?: true;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The id of the operation that it is. */
  readonly operation: string;
  readonly takes: Readonly<Record<string, Argument>>;
  /** What the operation is given besides, by place. */
  readonly fixed?: Readonly<Record<string, unknown>>;
}

const argument =
  (schema: Json) =>
  (at: string, says: string): Argument => ({ at, schema, says });
export const aText = argument({ type: 'string' });
export const aWholeNumber = argument({ type: 'integer' });
export const aNumber = argument({ type: 'number' });
export const aFlag = argument({ type: 'boolean' });
export const someTexts = argument({ type: 'array', items: { type: 'string' } });
export const aListOf = (members: Json, required: readonly string[]) =>
  argument({
    type: 'array',
    items: { type: 'object', properties: members, required, additionalProperties: false },
  });
export const required = (of: Argument): Argument => ({ ...of, required: true });

/** The workspace of operations that read it from a header. */
export const workspaceByHeader = aText(
  'header.comet-workspace',
  'Name of the workspace; left out, the one of the credential.',
);
/** The workspace of operations that read it from the query. */
export const workspaceInQuery = aText(
  'query.workspaceName',
  'Name of the workspace; left out, the one of the credential.',
);
/** Which page of a list is asked for. */
export const pages = {
  page: aWholeNumber('query.page', 'Which page, from 1.'),
  size: aWholeNumber('query.size', 'How many a page holds; 10 if left out.'),
} as const;
