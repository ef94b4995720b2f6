// A result as an Apache Parquet file. What writes it is fetched when somebody asks for one.
import { columnsOf, type ResultTable } from '../../pure/sql-columns.js';

/** Rows that are written before the page may go on. */
const atOnce = 2000;

export const parquetOf = async (table: ResultTable): Promise<Blob> => {
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
  const columns = columnsOf(table);
  const writer = new ByteWriter();
  const file = new ParquetWriter({
    writer,
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name, type }) => ({
        ...{ name, repetition_type: 'OPTIONAL' as const },
        ...(type === 'text'
          ? { type: 'BYTE_ARRAY' as const, converted_type: 'UTF8' as const }
          : {
              type: ({ flag: 'BOOLEAN', whole: 'INT64', number: 'DOUBLE' } as const)[type],
            }),
      })),
    ],
    createdBy: 'orrery',
  });
  for (let from = 0; from < table.rows.length; from += atOnce) {
    const to = Math.min(table.rows.length, from + atOnce);
    await file.write({
      columnData: columns.map(({ name, values }) => ({ name, data: values.slice(from, to) })),
      rowGroupSize: to - from,
    });
    await new Promise((wake) => setTimeout(wake));
  }
  await file.finish();
  return new Blob([writer.getBytes().slice()], { type: 'application/vnd.apache.parquet' });
};
