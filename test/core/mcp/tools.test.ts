import { expect } from 'chai';
import { inputOf, textOf } from '#core/mcp/calling';
import type { Tool } from '#core/mcp/tool';
import { tools } from '#core/mcp/tools/tools';
import { changes, type Operation } from '#ports/api/operation';
import { object, text } from '#ports/api/schema';
import { rejection } from '#test/contract/storage/builders';
import { fieldsOf, rows } from '#test/api/rows';

const rowOf = (tool: Tool): Operation => {
  const row = rows.find(({ id }) => id === tool.operation);
  if (row === undefined) throw new Error(`${tool.name} is no operation`);
  return row.operation;
};

describe('tools', () => {
  it('are operations, each under a name of its own', () => {
    const names = tools.map(({ name }) => name);

    expect(names.filter((name, i) => names.indexOf(name) !== i)).to.deep.equal([]);
    expect(tools.map(rowOf)).to.have.length(tools.length);
  });

  for (const tool of tools)
    it(`${tool.name} gives its operation only members that the row has`, () => {
      const fields = fieldsOf(rowOf(tool));
      const has = (at: string) =>
        at.startsWith('header.') || fields.some((one) => one === at || one.startsWith(`${at}.`));

      expect(
        [...Object.values(tool.takes).map(({ at }) => at), ...Object.keys(tool.fixed ?? {})].filter(
          (at) => !has(at),
        ),
      ).to.deep.equal([]);
      const required = (part: 'params' | 'query' | 'body') => {
        const schema = rowOf(tool)[part] as { readonly required?: readonly string[] } | undefined; // JSON Schema
        return (schema?.required ?? []).map((name) => `${part}.${name}`);
      };
      const given = new Set([
        ...Object.keys(tool.fixed ?? {}),
        ...Object.values(tool.takes).flatMap((one) => (one.required ? [one.at] : [])),
      ]);
      expect(
        [...required('params'), ...required('query'), ...required('body')].filter(
          (at) => !given.has(at),
        ),
      ).to.deep.equal([]);
    });

  it('are named by what they do', () => {
    const reads = /^(list|get|query|trace)_/;

    for (const tool of tools)
      expect(changes(rowOf(tool)), tool.name).to.equal(!reads.test(tool.name));
  });

  it('ask for nothing that is written to the audit log or that deletes', () => {
    expect(tools.filter((tool) => rowOf(tool).audit === true)).to.deep.equal([]);
  });
});

describe('a call of a tool', () => {
  const tool: Tool = {
    name: 'do_it',
    title: 'Do it',
    description: 'Does it.',
    operation: 'doIt',
    takes: {
      id: { at: 'params.id', schema: {}, says: '', required: true },
      filters: { at: 'query.filters', schema: {}, says: '' },
      add: { at: 'body.update.add', schema: {}, says: '' },
      workspace: { at: 'header.comet-workspace', schema: {}, says: '' },
    },
    fixed: { 'body.update': { kind: 'it' }, 'body.source': 'sdk' },
  };

  it('puts each argument where the operation reads it', () => {
    const given = { id: '1', filters: [{ a: 1 }], add: ['x'] };

    expect(inputOf(tool, given, 'home')).to.deep.equal({
      params: { id: '1' },
      query: { filters: '[{"a":1}]' },
      body: { update: { kind: 'it', add: ['x'] }, source: 'sdk' },
      headers: { 'comet-workspace': 'home' },
    });
    expect(inputOf(tool, { id: '2', workspace: 'other' }, 'home')).to.deep.equal({
      params: { id: '2' },
      query: {},
      body: { update: { kind: 'it' }, source: 'sdk' },
      headers: { 'comet-workspace': 'other' },
    });
  });

  it('is refused with what the tool does not take, and without what it needs', () => {
    expect(() => inputOf(tool, { id: '1', other: 1 }, undefined)).to.throw(
      'do_it takes no argument other',
    );
    for (const given of [{}, { id: null }])
      expect(() => inputOf(tool, given, undefined)).to.throw('do_it needs the argument id');
    expect(() =>
      inputOf(tool, JSON.parse('{"id":"1","__proto__":{}}') as object as never, ''),
    ).to.throw('takes no argument __proto__');
  });

  it('answers in one text what the operation replied, up to a bound', async () => {
    const of = (replies: Operation['replies']): Operation => ({
      method: 'GET',
      path: '/x',
      access: { needs: 'public' },
      summary: 'It',
      replies,
    });
    const shape = object({ a: text() });
    async function* pieces() {
      yield '{"a":';
      yield '"b"}';
    }

    expect(await textOf(of({ 200: shape }), { a: 'b' }, 100)).to.equal('{"a":"b"}');
    expect(await textOf(of({ 204: null }), undefined, 100)).to.equal('done');
    expect(await textOf(of({ 201: { detailed: null } }), { body: undefined }, 100)).to.equal(
      'done',
    );
    expect(
      await textOf(of({ 200: shape, 202: null }), { status: 200, body: { a: 'b' } }, 100),
    ).to.equal('{"a":"b"}');
    expect(await textOf(of({ 200: { streamed: shape } }), { text: pieces() }, 100)).to.equal(
      '{"a":"b"}',
    );
    for (const [replies, result] of [
      [{ 200: shape }, { a: 'b' }],
      [{ 200: { streamed: shape } }, { text: pieces() }],
    ] as const)
      expect(await rejection(textOf(of(replies), result, 5))).to.include({ kind: 'tooLarge' });
  });
});
