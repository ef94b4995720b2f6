// What scores may be in a workspace: listed, defined and deleted.
import { useState } from 'preact/hooks';
import { readCategories, showDefinition } from '../../pure/reviewing.js';
import { useStored } from '../loading.js';
import { mayWrite } from '../request.js';
import { definitionsServer } from '../reviewing-server.js';
import { deletions } from '../shell/delete-soon.js';
import { Deletes } from '../shell/deletes.js';
import { Asks, type Fields } from '../shell/form.js';
import { Rows } from '../shell/rows.js';

const mostListed = 1000;
const types = ['categorical', 'numerical', 'boolean'] as const;
type Type = (typeof types)[number];
const isType = (name: string): name is Type => types.some((one) => one === name);
const typeWords: Readonly<Record<Type, string>> = {
  categorical: 'one of some categories',
  numerical: 'a number',
  boolean: 'yes or no',
};

const numberOf = (field: Fields, name: string): number => {
  const value = Number(field(name));
  if (field(name) === '' || !Number.isFinite(value)) throw new Error(`${name} is a number`);
  return value;
};
const detailsOf = (type: Type, field: Fields): Record<string, unknown> => {
  switch (type) {
    case 'categorical':
      return { categories: readCategories(field('categories')) };
    case 'numerical':
      return { min: numberOf(field, 'least'), max: numberOf(field, 'most') };
    case 'boolean':
      return { trueLabel: field('yes'), falseLabel: field('no') };
  }
};

const Details = ({ of }: { of: Type }) => {
  switch (of) {
    case 'categorical':
      return (
        <label>
          Categories, each in a line with its number
          <textarea name="categories" rows={4} placeholder={'bad = 0\ngood = 1'} dir="auto" />
        </label>
      );
    case 'numerical':
      return (
        <>
          <label>
            Least
            <input name="least" inputMode="decimal" defaultValue="0" required />
          </label>
          <label>
            Most
            <input name="most" inputMode="decimal" defaultValue="1" required />
          </label>
        </>
      );
    case 'boolean':
      return (
        <>
          <label>
            Word for yes, which is 1
            <input name="yes" defaultValue="yes" required maxLength={100} />
          </label>
          <label>
            Word for no, which is 0
            <input name="no" defaultValue="no" required maxLength={100} />
          </label>
        </>
      );
  }
};

const Define = ({ onChange }: { onChange: () => void }) => {
  const [type, setType] = useState<Type>('categorical');
  return (
    <Asks
      verb="New score"
      label="New score"
      send="Define it"
      says="The score is defined"
      onSend={async (field) => {
        const description = field('description');
        await definitionsServer.create({
          body: {
            ...{ name: field('name'), type, details: detailsOf(type, field) },
            ...(description === '' ? {} : { description }),
          },
        });
        onChange();
      }}
    >
      <label>
        Name
        <input name="name" required maxLength={150} autocomplete="off" />
      </label>
      <label>
        What it says of an item
        <input name="description" maxLength={255} />
      </label>
      <label>
        It is
        <select
          name="type"
          value={type}
          onChange={({ currentTarget: { value } }) => isType(value) && setType(value)}
        >
          {types.map((name) => (
            <option key={name} value={name}>
              {typeWords[name]}
            </option>
          ))}
        </select>
      </label>
      <Details key={type} of={type} />
    </Asks>
  );
};

export const Definitions = () => {
  const { value, fault, again } = useStored(
    (signal) => definitionsServer.list({ query: { size: mostListed } }, signal),
    [deletions.value],
  );
  return (
    <section aria-label="What scores may be">
      <h2>What scores may be</h2>
      {mayWrite.value ? (
        <p class="controls">
          <Define onChange={again} />
        </p>
      ) : null}
      <Rows
        label="Definitions of scores"
        of={{ value: value?.content, fault }}
        head={['Score', 'Values', 'Says', '']}
        empty="No score is defined yet. Queues ask reviewers for scores that are defined here."
      >
        {(one) => (
          <tr key={one.id}>
            <th scope="row" dir="auto">
              {one.name}
            </th>
            <td dir="auto">{showDefinition(one)}</td>
            <td dir="auto">{one.description}</td>
            <td class="does">
              {mayWrite.value ? (
                <Deletes
                  what="score"
                  name={one.name}
                  id={one.id}
                  warns="Scores that were given stay. A score that a queue asks for is not deleted."
                  onDo={() => definitionsServer.remove({ body: { ids: [one.id] } })}
                />
              ) : null}
            </td>
          </tr>
        )}
      </Rows>
    </section>
  );
};
