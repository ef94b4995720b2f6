import { expect } from 'chai';
import { findDifferences } from '#core/run-table/differences';
import type { RunContent } from '#ports/storage/run-table';

const content = (runId: string, given: Partial<RunContent>): RunContent => ({
  runId,
  kind: 'parameter',
  name: 'lr',
  text: '1',
  digest: undefined,
  bytes: undefined,
  ...given,
});
const find = (
  contents: readonly RunContent[],
  packages: Readonly<Record<string, string>> = {},
  most = 10,
) =>
  findDifferences({ contents, packages: new Map(Object.entries(packages)) }, ['a', 'b', 'c'], most);
const everyRun = (given: Partial<RunContent>) => ['a', 'b', 'c'].map((run) => content(run, given));

describe('differences among runs', () => {
  it('lists what one run has otherwise, or has not, and counts what is equal', () => {
    const [parameters] = find([
      ...everyRun({ name: 'same' }),
      ...everyRun({ name: 'lr' }).slice(0, 2),
      content('c', { name: 'lr', text: '2' }),
      content('b', { name: 'alone' }),
    ]);

    expect(parameters).to.deep.equal({
      section: 'parameter',
      equal: 1,
      differing: 2,
      differences: [
        { name: 'alone', values: [null, '1', null], bytes: undefined },
        { name: 'lr', values: ['1', '1', '2'], bytes: undefined },
      ],
    });
  });

  it('tells long values apart that begin alike', () => {
    const contents = ['x', 'x', 'y'].map((digest, at) =>
      content(['a', 'b', 'c'][at] ?? '', { text: 'long', digest }),
    );

    expect(find(contents)[0]?.differing).to.equal(1);
  });

  it('compares packages by name and version, from the lines that runs told', () => {
    const packages = find([], { a: 'x==1\ny==2\n', b: 'y==2\nx==1', c: 'y==2' })[3];

    expect(packages).to.deep.equal({
      section: 'package',
      equal: 1,
      differing: 1,
      differences: [{ name: 'x', values: ['1', '1', null], bytes: undefined }],
    });
  });

  it('shows code by digest and size', () => {
    const code = find([
      content('a', { kind: 'code', name: 'run.py', text: undefined, digest: 'd1', bytes: 3 }),
      content('b', { kind: 'code', name: 'run.py', text: undefined, digest: 'd2', bytes: 4 }),
    ])[4];

    expect(code?.differences).to.deep.equal([
      { name: 'run.py', values: ['d1', 'd2', null], bytes: [3, 4, null] },
    ]);
  });

  it('lists no more names than asked for, and counts all of them', () => {
    const names = ['c', 'a', 'b'].map((name) => content('a', { name }));
    const [parameters] = find(names, {}, 2);

    expect(parameters?.differing).to.equal(3);
    expect(parameters?.differences.map(({ name }) => name)).to.deep.equal(['a', 'b']);
  });
});
