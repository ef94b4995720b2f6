import type { Operation, Table } from '#ports/api/operation';
import type { TSchema } from '#ports/api/schema';

const ofRow = (operation: Operation): readonly TSchema[] =>
  [operation.query, operation.params, operation.body, ...Object.values(operation.replies)]
    .flatMap((shape) => {
      if (shape === null || shape === undefined) return [shape];
      if ('events' in shape)
        return Object.values(shape.events as Readonly<Record<string, TSchema>>);
      if ('piece' in shape) return [shape.whole as TSchema, shape.piece as TSchema];
      return 'streamed' in shape ? [shape.streamed as TSchema] : [shape];
    }) // replies that are streamed hold schemas
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
