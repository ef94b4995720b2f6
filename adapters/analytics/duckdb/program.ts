// The process in which a statement runs: it is handed the path of the engine's package, has no environment, and ends with the one that started it.

/** Values that are compared by their texts are asked for as texts; times are microseconds. */
export const program = `
const { DuckDBInstance, DuckDBTypeId, DuckDBDataChunk, DuckDBTimestampValue, listValue, mapValue, LIST, MAP, VARCHAR, BIGINT, BOOLEAN, DOUBLE, TIMESTAMP } = require(process.argv[1]);
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
};
const numbers = new Set(
  ['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'HUGEINT', 'UHUGEINT', 'FLOAT', 'DOUBLE', 'DECIMAL'].map((name) => DuckDBTypeId[name]),
);
let connection;
const appenders = new Map();
const work = {
  async open() {
    const instance = await DuckDBInstance.create(':memory:', {
      threads: '2', memory_limit: memory, max_temp_directory_size: '0B', temp_directory: '',
      autoinstall_known_extensions: 'false', autoload_known_extensions: 'false', allow_community_extensions: 'false',
      allow_persistent_secrets: 'false', enable_external_access: 'false', max_expression_depth: '250',
    });
    connection = await instance.connect();
    for (const statement of setUp) await connection.run(statement);
    await connection.run('SET lock_configuration = true');
  },
  async parse({ statement }) {
    const prepared = await connection.prepare('SELECT json_serialize_sql($1::VARCHAR)');
    prepared.bindVarchar(1, statement);
    const read = await prepared.runAndReadAll();
    return read.getRows()[0][0];
  },
  async create({ statements }) {
    for (const statement of statements) await connection.run(statement);
  },
  async append({ table, kinds, columns, count }) {
    const known = appenders.get(table) ?? (await connection.createAppender(table));
    appenders.set(table, known);
    const chunk = DuckDBDataChunk.create(kinds.map((kind) => types[kind]), count);
    columns.forEach((values, at) => {
      const make = made[kinds[at]] ?? ((value) => value);
      chunk.setColumnValues(at, values.map((value) => (value === undefined || value === null ? null : make(value))));
    });
    known.appendDataChunk(chunk);
  },
  async run({ statement, rows, bytes }) {
    for (const appender of appenders.values()) appender.closeSync();
    appenders.clear();
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
