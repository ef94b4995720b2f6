// What the steps ask of a row, worked out once when the server starts.
import { changes, subjectsOf } from '#ports/api/operation';
import { formReader } from '../form.js';
import { literalNames } from '../input.js';
import { jsonReader, type JsonBounds } from '../json.js';
import { rawPlaces } from '../raw-members.js';
import { isJsonBody, isOpen, pathsOf, type Route } from '../route.js';

/** What somebody who has shown no credential may send as a body. */
const strangerBytes = 64 * 1024;

const atMost = (bytes: number, bounds: JsonBounds): JsonBounds => ({
  ...bounds,
  packedBytes: Math.min(bytes, bounds.packedBytes),
  inflatedBytes: Math.min(bytes, bounds.inflatedBytes),
});

/** The leading parts of a multipart body that name a subject or hold the credential. */
const leadingPartsOf = ({ operation }: Route): readonly string[] => {
  const paths = [...subjectsOf(operation).flatMap(pathsOf), operation.wire?.credential ?? ''];
  const names = paths
    .filter((path) => path.startsWith('part.'))
    .map((path) => path.split('.')[1] ?? '');
  return [...new Set(names)];
};

/** What is worked out of a route for the steps that answer it. */
export const rowOf = (route: Route, bounds: JsonBounds) => {
  const { operation } = route;
  const { body } = operation;
  const open = isOpen(operation);
  const mostBytes = operation.wire?.mostBytes ?? (open ? strangerBytes : undefined);
  return {
    ...route,
    /** Whether the gate is asked. */
    restricted: !open,
    /** Whether a credential is looked for. */
    identifies: !open || operation.access.needs === 'visitor',
    writes: changes(operation) && operation.access.needs !== 'visitor',
    leadingParts: leadingPartsOf(route),
    readJson: isJsonBody(body)
      ? jsonReader({
          literals: literalNames(body),
          raws: rawPlaces(body),
          keepsNul: operation.wire?.keepsNul === true,
          oddNumbersAreNull: route.family.dress.oddNumbersAreNull === true,
        })
      : undefined,
    readForm: body !== undefined && 'form' in body ? formReader(body) : undefined,
    /** The schema of the body, where it is read before the handler. */
    bodySchema: isJsonBody(body)
      ? body
      : body !== undefined && 'form' in body
        ? body.form
        : undefined,
    bounds: mostBytes === undefined ? bounds : atMost(mostBytes, bounds),
    /** For a body that is read in search of a credential. */
    strangerBounds: atMost(strangerBytes, bounds),
  } as const;
};
export type Row = ReturnType<typeof rowOf>;
