// The body in its four forms: JSON and web forms are read before the handler, parts and bytes are handed on as streams.
import { Failure } from '#ports/failure';
import type { JsonBody, JsonBounds } from '../json.js';
import { reader } from '../input.js';
import { formParts, hasNoBoundary, openMultipart } from '../multipart.js';
import type { Held } from '../budget.js';
import { readAll, unpack } from '../reading.js';
import type { Incoming, Step, StepMaker } from './incoming.js';
import type { Row } from './row.js';

const parsePart = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Failure('invalid', 'a leading part of the body is not JSON', { cause });
  }
};

/** What a web form may bring where parts are asked for. */
const mostFormBytes = 16 * 1024 * 1024;

/** Reads the parts that stand before the first file, once. */
const openParts = async (incoming: Incoming, names: readonly string[]): Promise<void> => {
  if (incoming.body !== undefined) return;
  const { req } = incoming.ctx;
  if (names.length === 0 && hasNoBoundary(req.headers['content-type'])) {
    const form = await readAll(req, mostFormBytes, heldBy(incoming));
    incoming.body = formParts(form.toString('utf8'));
    return;
  }
  const opened = await openMultipart(incoming.ctx.req, names);
  for (const [name, text] of opened.lead) incoming.part[name] = parsePart(text);
  incoming.body = opened.parts;
};

const heldBy = ({ held }: Incoming): Held => {
  if (held === undefined) throw new Error('a body is read for which no memory is held');
  return held;
};

const readJsonOnce = async (
  row: Row,
  incoming: Incoming,
  bounds: JsonBounds,
): Promise<JsonBody | undefined> => {
  incoming.json ??= await row.readJson?.(incoming.ctx.req, bounds, heldBy(incoming));
  return incoming.json;
};

/** Reads so much of the body as may hold a credential, within what a stranger may send. */
export const readForCredential = async (row: Row, incoming: Incoming): Promise<void> => {
  if (row.readJson !== undefined) await readJsonOnce(row, incoming, row.strangerBounds);
  else await openParts(incoming, row.leadingParts);
};

export const readLeadingParts: StepMaker = ({ leadingParts }) =>
  leadingParts.length === 0 ? undefined : (incoming) => openParts(incoming, leadingParts);

/** A form is read before the gate is asked, because it carries its CSRF token in its body. */
export const readForm: StepMaker = ({ readForm: read }) =>
  read === undefined
    ? undefined
    : async (incoming) => {
        const value = await read(incoming.ctx.req, heldBy(incoming));
        incoming.json = { value, digest: () => '' };
      };

export const requireJson: StepMaker = ({ operation: { wire } }) =>
  wire?.jsonOnly !== true
    ? undefined
    : ({ ctx }) => {
        if (!/^application\/json\s*(;|$)/i.test(ctx.get('Content-Type')))
          throw new Failure('unsupported', 'the body must be application/json');
      };

const readWhole =
  ({ bounds }: Row): Step =>
  async (incoming) => {
    const { ctx } = incoming;
    const held = heldBy(incoming);
    const packed = await readAll(ctx.req, bounds.packedBytes, held);
    const encoding = ctx.get('Content-Encoding').trim().toLowerCase();
    const bytes = await unpack(packed, encoding, bounds.inflatedBytes, held);
    incoming.body = { type: ctx.request.type.toLowerCase(), bytes };
  };

/** Reads a JSON body, or hands on the stream of any other. */
export const readBody: StepMaker = (row) => {
  const { body } = row.operation;
  if (body === undefined || 'form' in body) return undefined;
  if ('multipart' in body) return (incoming) => openParts(incoming, []);
  if ('raw' in body && body.whole === true) return readWhole(row);
  if ('raw' in body)
    return (incoming) => {
      incoming.body = incoming.ctx.req;
    };
  return async (incoming) => {
    await readJsonOnce(row, incoming, row.bounds);
  };
};

export const validateBody: StepMaker = ({ bodySchema, family, operation: { wire } }) => {
  if (bodySchema === undefined) return undefined;
  const { brokenRule } = family.dress;
  const validate = reader(bodySchema, 'the body', brokenRule);
  return (incoming) => {
    if (wire?.needsBody === true && incoming.json?.isEmpty === true)
      throw new Failure(brokenRule ?? 'invalid', 'the body is required');
    incoming.body = validate(incoming.json?.value);
  };
};
