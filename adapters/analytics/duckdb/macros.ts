// Functions under the names that writers of ClickHouse SQL know.

/** A place in a JSON document, from the names of members on the way to it; elements of lists are counted from 1. */
const place = (...names: readonly string[]): string =>
  names
    .map((name) => {
      const member = `replace(replace(CAST(${name} AS VARCHAR), '~', '~0'), '/', '~1')`;
      const element = `CAST(TRY_CAST(${name} AS BIGINT) - 1 AS VARCHAR)`;
      return `'/' || CASE WHEN typeof(${name}) = 'VARCHAR' THEN ${member} ELSE ${element} END`;
    })
    .join(' || ');

/** A function of a JSON text and one to four names, and of the text alone where `whole` says how. */
const ofJson = (name: string, body: (path: string) => string, whole?: string): string => {
  const names = ['a', 'b', 'c', 'd'];
  const forms = names.map((_, at) => {
    const some = names.slice(0, at + 1);
    return `(j, ${some.join(', ')}) AS ${body(place(...some))}`;
  });
  return `CREATE MACRO ${name}${[...(whole === undefined ? [] : [whole]), ...forms].join(', ')}`;
};
/** A value told apart by 64 bits: a set of ids takes a third of the memory, and two of a million are one by a chance of one in 37 million. */
const hashed = 'CASE WHEN x IS NOT NULL THEN hash(x) END';
const told = (path: string) => `TRY(json_extract_string(j, ${path}))`;

export const macros: readonly string[] = [
  'CREATE MACRO toJSONString(x) AS CAST(to_json(x) AS VARCHAR)',
  ofJson('JSONExtractString', (path) => `coalesce(${told(path)}, '')`),
  ofJson('JSONExtractFloat', (path) => `coalesce(TRY_CAST(${told(path)} AS DOUBLE), 0)`),
  ...['JSONExtractInt', 'JSONExtractUInt'].map((name) =>
    ofJson(
      name,
      (path) => `coalesce(TRY_CAST(trunc(TRY_CAST(${told(path)} AS DOUBLE)) AS BIGINT), 0)`,
    ),
  ),
  // What `JSONExtract(j, …, 'Type')` is made of.
  ofJson('JSONExtractText', told, `(j) AS ${told("''")}`),
  ofJson(
    'JSONExtractKept',
    (path) => `TRY(json_extract(j, ${path}))`,
    "(j) AS TRY(json_extract(j, ''))",
  ),
  ofJson('JSONExtractBool', (path) => `coalesce(${told(path)} = 'true', false)`),
  ofJson(
    'JSONExtractRaw',
    (path) => `coalesce(CAST(TRY(json_extract(j, ${path})) AS VARCHAR), '')`,
  ),
  ofJson('JSONHas', (path) => `coalesce(TRY(json_exists(j, ${path})), false)`),
  // As many elements as a list has, or members as an object has.
  ofJson(
    'JSONLength',
    (path) =>
      `coalesce(nullif(TRY(json_array_length(j, ${path})), 0), len(TRY(json_keys(j, ${path}))), 0)`,
    '(j) AS coalesce(nullif(TRY(json_array_length(j)), 0), len(TRY(json_keys(j))), 0)',
  ),
  ofJson(
    'JSONExtractKeys',
    (path) => `coalesce(TRY(json_keys(j, ${path})), [])`,
    '(j) AS coalesce(TRY(json_keys(j)), [])',
  ),
  ofJson(
    'JSONExtractArrayRaw',
    (path) => `coalesce(TRY_CAST(TRY(json_extract(j, ${path})) AS VARCHAR[]), [])`,
    "(j) AS coalesce(TRY_CAST(TRY(json_extract(j, '')) AS VARCHAR[]), [])",
  ),
  'CREATE MACRO isValidJSON(j) AS json_valid(j)',
  'CREATE MACRO countIf(c) AS count(*) FILTER (WHERE c)',
  ...['sum', 'avg', 'min', 'max'].map(
    (name) => `CREATE MACRO ${name}If(x, c) AS ${name}(x) FILTER (WHERE c)`,
  ),
  'CREATE MACRO anyIf(x, c) AS any_value(x) FILTER (WHERE c)',
  'CREATE MACRO anyLast(x) AS last(x) FILTER (WHERE x IS NOT NULL)',
  ...['argMin', 'argMax'].map(
    (name) => `CREATE MACRO ${name}If(x, y, c) AS ${name}(x, y) FILTER (WHERE c)`,
  ),
  ...['uniqExact', 'countDistinct'].map((name) => `CREATE MACRO ${name}(x) AS count(DISTINCT x)`),
  ...['uniq', 'uniqCombined', 'uniqHLL12'].map(
    (name) => `CREATE MACRO ${name}(x) AS count(DISTINCT ${hashed})`,
  ),
  ...[
    ['stddevPop', 'stddev_pop'],
    ['stddevSamp', 'stddev_samp'],
    ['varPop', 'var_pop'],
    ['varSamp', 'var_samp'],
  ].map(([name, own]) => `CREATE MACRO ${name}(x) AS ${own}(x)`),
  'CREATE MACRO groupArrayIf(x, c) AS coalesce(list(x) FILTER (WHERE c AND x IS NOT NULL), [])',
  `CREATE MACRO uniqIf(x, c) AS count(DISTINCT ${hashed}) FILTER (WHERE c)`,
  'CREATE MACRO groupArray(x) AS coalesce(list(x) FILTER (WHERE x IS NOT NULL), [])',
  'CREATE MACRO groupUniqArray(x) AS coalesce(list(DISTINCT x) FILTER (WHERE x IS NOT NULL), [])',
  'CREATE MACRO toString(x) AS CAST(x AS VARCHAR)',
  ...['toInt8', 'toInt16', 'toInt32', 'toInt64', 'toUInt8', 'toUInt16', 'toUInt32', 'toUInt64'].map(
    (name) => `CREATE MACRO ${name}(x) AS CAST(trunc(CAST(x AS DOUBLE)) AS BIGINT)`,
  ),
  'CREATE MACRO toFloat32(x) AS CAST(x AS DOUBLE)',
  'CREATE MACRO toFloat64(x) AS CAST(x AS DOUBLE)',
  'CREATE MACRO toFloat64OrNull(x) AS TRY_CAST(x AS DOUBLE)',
  'CREATE MACRO toFloat64OrZero(x) AS coalesce(TRY_CAST(x AS DOUBLE), 0)',
  'CREATE MACRO toInt64OrNull(x) AS TRY_CAST(x AS BIGINT)',
  'CREATE MACRO toInt64OrZero(x) AS coalesce(TRY_CAST(x AS BIGINT), 0)',
  'CREATE MACRO toDateOrNull(x) AS TRY_CAST(x AS DATE)',
  'CREATE MACRO toDateTimeOrNull(x) AS TRY_CAST(x AS TIMESTAMP)',
  'CREATE MACRO parseDateTimeBestEffortOrNull(x) AS TRY_CAST(x AS TIMESTAMP)',
  'CREATE MACRO parseDateTime64BestEffort(x) AS CAST(x AS TIMESTAMP), (x, p) AS CAST(x AS TIMESTAMP)',
  'CREATE MACRO toDate(x) AS CAST(x AS DATE)',
  'CREATE MACRO toDateTime(x) AS CAST(x AS TIMESTAMP)',
  'CREATE MACRO toDateTime64(x, p) AS CAST(x AS TIMESTAMP), (x, p, z) AS CAST(x AS TIMESTAMP)',
  'CREATE MACRO parseDateTimeBestEffort(x) AS CAST(x AS TIMESTAMP)',
  'CREATE MACRO toUnixTimestamp(x) AS CAST(floor(epoch(CAST(x AS TIMESTAMP))) AS BIGINT)',
  'CREATE MACRO fromUnixTimestamp(x) AS make_timestamp(CAST(x AS BIGINT) * 1000000)',
  ...['Minute', 'Hour'].map(
    (unit) => `CREATE MACRO toStartOf${unit}(x) AS date_trunc('${unit}', CAST(x AS TIMESTAMP))`,
  ),
  "CREATE MACRO toStartOfDay(x) AS date_trunc('day', CAST(x AS TIMESTAMP))",
  // Weeks begin on Sunday where no mode is given, on Monday with an odd one.
  "CREATE MACRO toStartOfWeek(x) AS CAST(date_trunc('week', CAST(x AS TIMESTAMP) + INTERVAL 1 DAY) - INTERVAL 1 DAY AS DATE), (x, m) AS CAST(CASE WHEN m % 2 = 1 THEN date_trunc('week', CAST(x AS TIMESTAMP)) ELSE date_trunc('week', CAST(x AS TIMESTAMP) + INTERVAL 1 DAY) - INTERVAL 1 DAY END AS DATE)",
  "CREATE MACRO toMonday(x) AS CAST(date_trunc('week', CAST(x AS TIMESTAMP)) AS DATE)",
  ...['Month', 'Quarter', 'Year'].map(
    (unit) =>
      `CREATE MACRO toStartOf${unit}(x) AS CAST(date_trunc('${unit}', CAST(x AS TIMESTAMP)) AS DATE)`,
  ),
  ...['Year', 'Month', 'Hour', 'Minute', 'Second'].map(
    (unit) => `CREATE MACRO to${unit}(x) AS date_part('${unit}', CAST(x AS TIMESTAMP))`,
  ),
  ...['Minute', 'Hour', 'Day', 'Week', 'Month', 'Year'].flatMap((unit) => {
    const many = `to_${unit.toLowerCase()}s(CAST(n AS INTEGER))`;
    return [
      `CREATE MACRO toInterval${unit}(n) AS ${many}`,
      `CREATE MACRO add${unit}s(x, n) AS CAST(x AS TIMESTAMP) + ${many}`,
      `CREATE MACRO subtract${unit}s(x, n) AS CAST(x AS TIMESTAMP) - ${many}`,
    ];
  }),
  ...[
    ['Five', 5],
    ['Ten', 10],
    ['Fifteen', 15],
  ].map(
    ([name, minutes]) =>
      `CREATE MACRO toStartOf${name}Minutes(x) AS time_bucket(INTERVAL ${minutes} MINUTE, CAST(x AS TIMESTAMP))`,
  ),
  'CREATE MACRO toStartOfInterval(x, i) AS time_bucket(i, CAST(x AS TIMESTAMP))',
  'CREATE MACRO yesterday() AS today() - 1',
  ...[
    ['DayOfWeek', 'isodow'],
    ['DayOfMonth', 'day'],
    ['DayOfYear', 'doy'],
    ['Quarter', 'quarter'],
    ['ISOWeek', 'week'],
  ].map(([name, own]) => `CREATE MACRO to${name}(x) AS date_part('${own}', CAST(x AS TIMESTAMP))`),
  ...[
    ['YYYYMM', '%Y%m'],
    ['YYYYMMDD', '%Y%m%d'],
  ].map(
    ([name, form]) =>
      `CREATE MACRO to${name}(x) AS CAST(strftime(CAST(x AS TIMESTAMP), '${form}') AS INTEGER)`,
  ),
  'CREATE MACRO toUnixTimestamp64Milli(x) AS epoch_ms(CAST(x AS TIMESTAMP))',
  'CREATE MACRO fromUnixTimestamp64Milli(x) AS make_timestamp_ms(CAST(x AS BIGINT))',
  // Of as many conditions as anybody writes, each with its value, and the value where none holds.
  `CREATE MACRO multiIf${[1, 2, 3, 4, 5, 6, 7, 8]
    .map((many) => {
      const places = Array.from({ length: many }, (_, at) => at);
      const names = places.flatMap((at) => [`c${at}`, `v${at}`]);
      const cases = places.map((at) => `WHEN c${at} THEN v${at}`);
      return `(${[...names, 'e'].join(', ')}) AS CASE ${cases.join(' ')} ELSE e END`;
    })
    .join(', ')}`,
  'CREATE MACRO isNullValue(x) AS x IS NULL',
  'CREATE MACRO isNotNullValue(x) AS x IS NOT NULL',
  'CREATE MACRO assumeNotNull(x) AS x',
  'CREATE MACRO toNullable(x) AS x',
  'CREATE MACRO intDiv(a, b) AS a // b',
  'CREATE MACRO splitByChar(s, x) AS string_split(x, s)',
  'CREATE MACRO splitByString(s, x) AS string_split(x, s)',
  "CREATE MACRO arrayStringConcat(l) AS array_to_string(l, ''), (l, s) AS array_to_string(l, s)",
  ...['Sum', 'Avg', 'Min', 'Max', 'Distinct', 'Sort'].map(
    (name) => `CREATE MACRO array${name}(l) AS list_${name.toLowerCase()}(l)`,
  ),
  'CREATE MACRO arrayUniq(l) AS len(list_distinct(l))',
  'CREATE MACRO arrayElement(l, n) AS l[n]',
  'CREATE MACRO indexOf(l, x) AS coalesce(list_position(l, x), 0)',
  'CREATE MACRO match(x, p) AS regexp_matches(x, p)',
  'CREATE MACRO lowerUTF8(x) AS lower(x)',
  'CREATE MACRO upperUTF8(x) AS upper(x)',
  'CREATE MACRO lengthUTF8(x) AS length(x)',
  'CREATE MACRO substringUTF8(x, o, n) AS substring(x, o, n)',
  "CREATE MACRO replaceRegexpAll(h, p, r) AS regexp_replace(h, p, r, 'g')",
  'CREATE MACRO replaceRegexpOne(h, p, r) AS regexp_replace(h, p, r)',
  'CREATE MACRO has(l, x) AS coalesce(list_contains(l, x), false)',
  'CREATE MACRO hasAny(l, x) AS list_has_any(l, x)',
  'CREATE MACRO hasAll(l, x) AS list_has_all(l, x)',
  'CREATE MACRO mapKeys(m) AS map_keys(m)',
  'CREATE MACRO mapValues(m) AS map_values(m)',
  'CREATE MACRO mapContains(m, k) AS map_contains(m, k)',
  'CREATE MACRO empty(x) AS coalesce(length(x), 0) = 0',
  'CREATE MACRO notEmpty(x) AS coalesce(length(x), 0) > 0',
  'CREATE MACRO positionCaseInsensitive(h, n) AS strpos(lower(h), lower(n))',
  'CREATE MACRO startsWith(h, n) AS starts_with(h, n)',
  'CREATE MACRO endsWith(h, n) AS ends_with(h, n)',
  'CREATE MACRO replaceAll(h, p, r) AS replace(h, p, r)',
];
