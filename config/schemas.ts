import type { Operation, Table } from '#ports/api/operation';
import type { TSchema } from '#ports/api/schema';

const ofRow = (operation: Operation): readonly TSchema[] =>
  [operation.query, operation.params, operation.body, ...Object.values(operation.replies)]
    .map((shape) =>
      shape !== null && shape !== undefined && 'streamed' in shape
        ? (shape.streamed as TSchema)
        : shape,
    ) // a streamed reply holds a schema
    .filter(
      (shape): shape is TSchema =>
        shape !== undefined &&
        shape !== null &&
        !('bytes' in shape) &&
        !('page' in shape) &&
        !('redirect' in shape) &&
        !('tag' in shape) &&
        !('multipart' in shape) &&
        !('raw' in shape),
    );

/** Every schema of a table: queries, paths, bodies and replies. */
export const schemasOf = (table: Table): readonly TSchema[] => Object.values(table).flatMap(ofRow);
