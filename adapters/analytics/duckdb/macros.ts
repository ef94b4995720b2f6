// Functions under the names that writers of ClickHouse SQL know.

/** A place in a JSON document, from the names of members on the way to it. */
const place = (...names: readonly string[]): string =>
  names
    .map((name) => `'/' || replace(replace(CAST(${name} AS VARCHAR), '~', '~0'), '/', '~1')`)
    .join(' || ');

/** A function of a JSON text and one to four names. */
const ofJson = (name: string, body: (path: string) => string): string => {
  const names = ['a', 'b', 'c', 'd'];
  const forms = names.map((_, at) => {
    const some = names.slice(0, at + 1);
    return `(j, ${some.join(', ')}) AS ${body(place(...some))}`;
  });
  return `CREATE MACRO ${name}${forms.join(', ')}`;
};
const told = (path: string) => `TRY(json_extract_string(j, ${path}))`;

export const macros: readonly string[] = [
  'CREATE MACRO toJSONString(x) AS CAST(to_json(x) AS VARCHAR)',
  ofJson('JSONExtractString', (path) => `coalesce(${told(path)}, '')`),
  ofJson('JSONExtractFloat', (path) => `coalesce(TRY_CAST(${told(path)} AS DOUBLE), 0)`),
  ofJson(
    'JSONExtractInt',
    (path) => `coalesce(TRY_CAST(trunc(TRY_CAST(${told(path)} AS DOUBLE)) AS BIGINT), 0)`,
  ),
  ofJson('JSONExtractBool', (path) => `coalesce(${told(path)} = 'true', false)`),
  ofJson(
    'JSONExtractRaw',
    (path) => `coalesce(CAST(TRY(json_extract(j, ${path})) AS VARCHAR), '')`,
  ),
  ofJson('JSONHas', (path) => `coalesce(TRY(json_exists(j, ${path})), false)`),
  'CREATE MACRO JSONLength(j) AS coalesce(TRY(json_array_length(j)), 0)',
  'CREATE MACRO isValidJSON(j) AS json_valid(j)',
  'CREATE MACRO countIf(c) AS count(*) FILTER (WHERE c)',
  ...['sum', 'avg', 'min', 'max'].map(
    (name) => `CREATE MACRO ${name}If(x, c) AS ${name}(x) FILTER (WHERE c)`,
  ),
  'CREATE MACRO uniq(x) AS count(DISTINCT x)',
  'CREATE MACRO uniqExact(x) AS count(DISTINCT x)',
  'CREATE MACRO uniqIf(x, c) AS count(DISTINCT x) FILTER (WHERE c)',
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
