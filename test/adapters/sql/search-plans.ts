import { expect } from 'chai';
import type { Knex } from 'knex';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import type { Comparison, Condition } from '#ports/query';
import type { Project } from '#ports/model/projects';
import { addExperiment, addProject } from '#test/contract/storage/builders';

const compare = (
  kind: Comparison['subject']['kind'],
  name: string,
  claim: Record<string, unknown>,
): Condition => ({ type: 'comparison', subject: { kind, name }, ...claim }) as Condition; // built by the table below
const text = (value: string) => ({ type: 'text', text: value });
const number = (value: number) => ({ type: 'number', number: value });

const asked: Readonly<Record<string, Condition>> = {
  'a number above': compare('metric', 'loss', { operator: 'above', operand: number(3) }),
  'a number between': compare('parameter', 'p1', {
    operator: 'between',
    low: number(3),
    high: number(4),
  }),
  'a text equal': compare('parameter', 'p2', { operator: 'equals', operand: text('v3') }),
  'a text below': compare('parameter', 'p2', { operator: 'below', operand: text('v3') }),
  'a text that starts': compare('parameter', 'p2', { operator: 'startsWith', operand: text('v3') }),
  'a text that contains': compare('parameter', 'p2', { operator: 'contains', operand: text('3') }),
  'a text that nothing contains': compare('parameter', 'p2', {
    operator: 'contains',
    operand: text('w'),
  }),
  'a number that nothing has': compare('parameter', 'p1', {
    operator: 'above',
    operand: number(1000),
  }),
  'a value present': compare('parameter', 'p3', { operator: 'present' }),
  'a value absent': { type: 'not', of: compare('parameter', 'p3', { operator: 'present' }) },
};

interface Step {
  readonly [member: string]: unknown;
  readonly Plans?: readonly Step[];
}
const steps = (step: Step): readonly Step[] => [step, ...(step.Plans ?? []).flatMap(steps)];

/** How each step of a statement reads the values, in one sentence; every engine's own words are read here and nowhere else. */
const readsOfValues = async (
  db: Knex,
  sql: string,
  bindings: readonly unknown[],
): Promise<readonly { readonly says: string; readonly ranged: boolean }[]> => {
  if (db.client.dialect === 'postgresql') {
    const { rows } = (await db.raw(`explain (format json) ${sql}`, bindings as never)) as {
      readonly rows: readonly { readonly 'QUERY PLAN': readonly { readonly Plan: Step }[] }[];
    }; // the form that this statement answers in
    const plan = rows[0]?.['QUERY PLAN'][0]?.Plan ?? {};
    return steps(plan)
      .filter(
        (step) =>
          step['Relation Name'] === 'experiment_values' ||
          String(step['Index Name'] ?? '').startsWith('experiment_values'),
      )
      .filter((step) => step['Node Type'] !== 'Bitmap Heap Scan')
      .map((step) => ({
        says: JSON.stringify({ ...step, Plans: undefined }),
        ranged: /name_key/.test(String(step['Index Cond'])),
      }));
  }
  const [rows] = (await db.raw(`explain format=traditional ${sql}`, bindings as never)) as [
    readonly {
      readonly table: string | null;
      readonly key: string | null;
      readonly key_len: string | null;
      readonly type: string;
    }[],
  ];
  // Project, kind and key of the name are 36 + 2 + 36 bytes of any index that is read by them; an experiment's own key is 74 too.
  return rows
    .filter((row) => row.table === 'v' || row.table === 't')
    .map((row) => ({
      says: JSON.stringify(row),
      ranged: row.type !== 'ALL' && row.type !== 'index' && Number(row.key_len) >= 74,
    }));
};

/** How an SQL storage searches: every condition reads the values of its own name alone. */
export const searchPlanContract = (storage: () => SqlStorage): void => {
  let project: Project;
  before(async function () {
    this.timeout(120_000);
    project = await addProject(storage());
    for (let at = 0; at < 150; at++) {
      const { id } = await addExperiment(storage(), { projectId: project.id });
      const values = Array.from({ length: 40 }, (_, p) => ({
        name: `p${p}`,
        context: undefined,
        text: p % 2 === 0 ? `v${at % 20}` : String(at / 7),
        step: undefined,
        timestamp: 1,
      }));
      await storage().stores.values.write({
        experimentId: id,
        kind: 'parameter',
        values,
        receivedAt: 1,
      });
    }
    const { db } = storage().connection;
    await db.raw(
      db.client.dialect === 'postgresql'
        ? 'analyze'
        : 'analyze table experiment_values, experiments',
    );
  });

  for (const [title, condition] of Object.entries(asked)) {
    it(`reads no more than the values of its name for ${title}`, async () => {
      const { db } = storage().connection;
      const statements: { readonly sql: string; readonly bindings: readonly unknown[] }[] = [];
      const note = (statement: { readonly sql: string; readonly bindings: readonly unknown[] }) => {
        if (/\bfound\b/.test(statement.sql)) statements.push(statement);
      };
      db.on('query', note);
      await storage().stores.search.find(project.id, condition, { archived: false, limit: 100 });
      db.removeListener('query', note);

      const reads = await Promise.all(
        statements.map(({ sql, bindings }) =>
          readsOfValues(db, sql.replaceAll(/\$\d+/g, '?'), bindings),
        ),
      );

      expect(reads).to.have.length.above(0);
      expect(reads).to.not.deep.include([]);
      expect(reads.flat().filter((read) => !read.ranged)).to.deep.equal([]);
    });
  }
};
