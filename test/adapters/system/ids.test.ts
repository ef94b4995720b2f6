import { expect } from 'chai';
import { validate, version } from 'uuid';
import { systemIds } from '#adapters/system/ids';

describe('ids', () => {
  it('are distinct UUIDs of version 7 that sort in the order in which they were made', () => {
    const made = Array.from({ length: 20_000 }, () => systemIds.next());
    expect(made.every((id) => validate(id) && version(id) === 7)).to.equal(true);
    expect(new Set(made).size).to.equal(made.length);
    expect(made.toSorted()).to.deep.equal(made);
  });

  it('share no random digits', () => {
    const digits = Array.from({ length: 2_000 }, () => systemIds.next().slice(-10));
    expect(new Set(digits).size).to.equal(digits.length);
  });
});
