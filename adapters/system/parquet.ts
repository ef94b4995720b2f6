import type { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { ByteStream } from '#ports/bytes';
import type { Parquet, ParquetColumn } from '#ports/parquet';

/** What was written since it was last taken. */
const take = (writer: ByteWriter): Uint8Array => {
  const bytes = writer.getBytes().slice();
  writer.index = 0;
  return bytes;
};

type Element = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];
const toElement = ({ name, type }: ParquetColumn): Element =>
  type === 'number'
    ? { name, repetition_type: 'OPTIONAL', type: 'DOUBLE' }
    : { name, repetition_type: 'OPTIONAL', type: 'BYTE_ARRAY', converted_type: 'UTF8' };

async function* write(...[columns, parts]: Parameters<Parquet['write']>): ByteStream {
  // Loaded when somebody exports a table, since it is a third of a megabyte of modules.
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
  const bytes = new ByteWriter();
  const file = new ParquetWriter({
    writer: bytes,
    schema: [{ name: 'root', num_children: columns.length }, ...columns.map(toElement)],
    createdBy: 'orrery',
  });
  for await (const part of parts) {
    const rows = part[0]?.length ?? 0;
    if (rows === 0) continue;
    await file.write({
      columnData: columns.map(({ name, type }, at) => ({
        name,
        data: (part[at] ?? []).map((cell) =>
          typeof cell === (type === 'number' ? 'number' : 'string') ? cell : null,
        ),
      })),
      rowGroupSize: rows,
    });
    yield take(bytes);
  }
  await file.finish();
  yield take(bytes);
}

export const systemParquet: Parquet = { write };
