// The process in which a statement runs: it is handed the path of the engine's package, has no environment, and ends with the one that started it.

/** Values that are compared by their texts are asked for as texts; times are microseconds. */
export const program = `
const { DuckDBInstance, DuckDBTypeId, DuckDBDataChunk, DuckDBTimestampValue, listValue, mapValue, structValue, LIST, MAP, STRUCT, VARCHAR, BIGINT, BOOLEAN, DOUBLE, TIMESTAMP } = require(process.argv[1]);
const { memory, resident, setUp } = JSON.parse(process.argv[2]);
setInterval(() => {
  if (process.memoryUsage.rss() > resident) {
    process.exitCode = 9;
    process.kill(process.pid, 'SIGKILL');
  }
}, 50).unref();
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
const types = {
  text: VARCHAR, real: DOUBLE, whole: BIGINT, flag: BOOLEAN, time: TIMESTAMP, texts: LIST(VARCHAR),
  counts: MAP(VARCHAR, BIGINT), flags: MAP(VARCHAR, BOOLEAN), members: MAP(VARCHAR, VARCHAR), lists: MAP(VARCHAR, LIST(VARCHAR)),
  keys: LIST(STRUCT({ key: VARCHAR, type: VARCHAR })),
};
const mapped = (of) => (value) => mapValue(Object.entries(value).map(([key, one]) => ({ key, value: of(one) })));
const made = {
  whole: (value) => BigInt(value),
  time: (value) => new DuckDBTimestampValue(BigInt(value)),
  texts: (value) => listValue(value),
  counts: mapped((one) => BigInt(one)),
  flags: mapped((one) => one),
  members: mapped((one) => one),
  lists: mapped((one) => listValue(one)),
  keys: (value) => listValue(value.map((one) => structValue(one))),
};
const numbers = new Set(
  ['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'HUGEINT', 'UHUGEINT', 'FLOAT', 'DOUBLE', 'DECIMAL'].map((name) => DuckDBTypeId[name]),
);
let connection, keeping, parsing;
const appenders = new Map();
const appenderOf = async (on, table, ...place) => {
  const known = appenders.get(table) ?? (await on.createAppender(table, ...place));
  appenders.set(table, known);
  return known;
};
const chunkOf = (kinds, columns, count) => {
  const chunk = DuckDBDataChunk.create(kinds.map((kind) => types[kind]), count);
  columns.forEach((values, at) => {
    const make = made[kinds[at]] ?? ((value) => value);
    const one = (value) => (value === undefined || value === null ? null : make(value));
    chunk.setColumnValues(at, Array.isArray(values) ? values.map(one) : Array(count).fill(one(values.all)));
  });
  return chunk;
};
const closeAppenders = () => {
  for (const appender of appenders.values()) appender.closeSync();
  appenders.clear();
};
const work = {
  async open({ file }) {
    const instance = await DuckDBInstance.create(':memory:', {
      threads: '2', memory_limit: memory, max_temp_directory_size: '0B', temp_directory: '',
      autoinstall_known_extensions: 'false', autoload_known_extensions: 'false', allow_community_extensions: 'false',
      allow_persistent_secrets: 'false', enable_external_access: String(file !== undefined), max_expression_depth: '250',
    });
    connection = parsing = await instance.connect();
    if (file !== undefined) {
      await connection.run("ATTACH '" + file.replaceAll("'", "''") + "' AS kept");
      await connection.run('SET enable_external_access = false');
      keeping = await instance.connect();
      parsing = await instance.connect();
    }
    // All at once: each statement for itself takes as long again.
    if (setUp.length > 0) await connection.run(setUp.join(';'));
    await connection.run('SET lock_configuration = true');
  },
  async keep({ statements }) {
    closeAppenders();
    for (const statement of statements) await keeping.run(statement);
  },
  async look({ statement }) {
    const read = await keeping.runAndReadAll(statement);
    return read.getRows().map((row) => row.map((value) => (value === null ? null : String(value))));
  },
  async put({ table, kinds, columns, count }) {
    const appender = await appenderOf(keeping, table, 'main', 'kept');
    appender.appendDataChunk(chunkOf(kinds, columns, count));
  },
  async parse({ statement }) {
    const prepared = await parsing.prepare('SELECT json_serialize_sql($1::VARCHAR)');
    prepared.bindVarchar(1, statement);
    const read = await prepared.runAndReadAll();
    return read.getRows()[0][0];
  },
  async create({ statements }) {
    for (const statement of statements) await connection.run(statement);
  },
  async append({ table, kinds, columns, count }) {
    const appender = await appenderOf(connection, table);
    appender.appendDataChunk(chunkOf(kinds, columns, count));
  },
  async run({ statement, rows, bytes }) {
    closeAppenders();
    const result = await connection.stream(statement);
    const columns = result.columnNames();
    const types = result.columnTypes().map(({ typeId }) => (numbers.has(typeId) ? 'number' : 'text'));
    const found = [];
    let size = 0;
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) return { columns, types, rows: found };
      for (const row of chunk.getRows()) {
        const shown = row.map((value) => (value === null ? null : String(value)));
        size += shown.reduce((sum, text) => sum + (text === null ? 0 : text.length), 0);
        found.push(shown);
        if (found.length > rows) return { over: 'rows' };
        if (size > bytes) return { over: 'bytes' };
      }
    }
  },
};
process.on('message', async ({ id, ask, ...given }) => {
  try {
    process.send({ id, answer: await work[ask](given) });
  } catch (thrown) {
    process.send({ id, fault: String(thrown.message) });
  }
});
`;
