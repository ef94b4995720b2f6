import { trackingFamily } from '#ports/api/families/tracking';
import { expect } from 'chai';
import { describeRows } from '#adapters/http/openapi';
import { nameSchemas } from '#adapters/http/description/schemas';
import { operations } from '#ports/api/operation';
import {
  anything,
  envelope,
  integer,
  list,
  nullable,
  object,
  optional,
  shape,
  text,
  withExample,
} from '#ports/api/schema';

const point = shape('Point', 'A point.', { step: integer() });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

describe('the schemas of the description', () => {
  it('refer to a named shape wherever it stands, and hold it once', () => {
    const { describe, all } = nameSchemas();

    expect(describe(list(point))).to.deep.equal({ type: 'array', items: ref('Point') });
    expect(describe(point)).to.deep.equal(ref('Point'));
    expect(all()).to.deep.equal({
      Point: {
        type: 'object',
        description: 'A point.',
        properties: { step: { type: 'integer' } },
        required: ['step'],
      },
    });
  });

  it('let a named shape be null where it may be left out or null', () => {
    const { describe } = nameSchemas();
    const orNull = { anyOf: [ref('Point'), { type: 'null' }] };

    expect(describe(optional(point))).to.deep.equal(orNull);
    expect(describe(nullable(point))).to.deep.equal(orNull);
    expect(describe(optional(text()))).to.deep.equal({ type: ['string', 'null'] });
    expect(describe(nullable(anything()))).to.deep.equal({});
  });

  it('give another shape of a name that is taken a number', () => {
    const { describe } = nameSchemas();

    describe(point);

    expect(describe(shape('Point', 'Another.', { x: text() }))).to.deep.equal(ref('Point_2'));
    expect(describe(point)).to.deep.equal(ref('Point'));
  });

  it('name an object without a name after its operation, and an equal one alike', () => {
    const { describe, all } = nameSchemas();

    expect(describe(object({ a: text() }), 'FirstReply')).to.deep.equal(ref('FirstReply'));
    expect(describe(object({ a: text() }), 'SecondReply')).to.deep.equal(ref('FirstReply'));
    expect(describe(list(text()), 'ThirdReply')).to.have.property('type', 'array');
    expect(Object.keys(all())).to.deep.equal(['FirstReply']);
  });

  it('say once what every envelope holds, and beside it what a reply adds', () => {
    const { describe } = nameSchemas();

    expect(describe(envelope('Saved', {}))).to.deep.equal(ref('Success'));
    expect(describe(envelope('Saved', { link: text() }))).to.deep.equal({
      allOf: [
        ref('Success'),
        { type: 'object', properties: { link: { type: 'string' } }, required: ['link'] },
      ],
    });
    expect(describe(envelope('Saved', { data: integer() }))).to.have.nested.property(
      'properties.data.type',
      'integer',
    );
  });

  it('show an example beside the shape that it is of', () => {
    const { describe, all } = nameSchemas();

    describe(withExample(point, { step: 1 }));

    expect(all()['Point']).to.have.deep.property('examples', [{ step: 1 }]);
  });
});

describe('the description of an operation', () => {
  const table = operations({
    showPoint: {
      method: 'GET',
      path: ['/api/point', '/clientlib/point'],
      access: { needs: 'caller', about: 'caller' },
      summary: 'A point',
      replies: { 200: point },
    },
  });
  const document = describeRows(
    [{ id: 'showPoint', area: 'points', family: trackingFamily, operation: table.showPoint }],
    '1.0.0',
    'http://127.0.0.1:1',
  );

  it('says its refusals at its first address, and refers to it at others', () => {
    const { paths } = document as {
      readonly paths: Readonly<Record<string, { readonly get: Readonly<Record<string, object>> }>>;
    }; // the document has a GET at both addresses
    const [first, again] = [paths['/api/point']?.get, paths['/clientlib/point']?.get];

    expect(Object.keys(first?.['responses'] ?? {})).to.include.members(['200', '401', '500']);
    expect(Object.keys(again?.['responses'] ?? {})).to.deep.equal(['200', '4XX', '5XX']);
    expect(again?.['description']).to.equal('The same as showPoint, at another address.');
    expect(again?.['operationId']).to.equal('showPoint_2');
  });

  it('has a tag of its area, also where the area says nothing of itself', () => {
    expect(document['tags']).to.deep.equal([
      { name: 'points', description: 'Operations of the area points.' },
    ]);
  });
});
