// The suites of signing in outside the tree, on a way as a vendor writes it.
import { headersWayContract, passwordWayContract } from 'orrery/test/contract/sign-in';

const people = [
  { name: 'ann', email: undefined, emailProved: false, groups: ['staff'] },
  { name: 'ben', email: undefined, emailProved: false, groups: [] },
];
const identityOf = (name) => {
  const person = people.find((one) => one.name === name);
  return person === undefined ? undefined : { ...person, subject: `badge of ${name}` };
};
const stop = async () => undefined;

describe('badges with a code', () =>
  passwordWayContract(async () => {
    const passwords = { ann: 'seven lamps in a boat', ben: 'nine kites above a barn' };
    const check = async (name, password) =>
      password !== '' && passwords[name] === password ? identityOf(name) : undefined;
    return {
      way: { kind: 'password', name: 'badge', label: 'Badge', check },
      people,
      passwords,
      stop,
    };
  }));

describe('badges at the door', () =>
  headersWayContract(async () => {
    const request = ({ name }) => ({ headers: { 'x-badge': name }, fromTrustedProxy: true });
    const read = async ({ headers, fromTrustedProxy }) =>
      fromTrustedProxy ? identityOf(headers['x-badge']) : undefined;
    return {
      way: { kind: 'headers', name: 'door', label: 'Door', read },
      people,
      request,
      forged: [{ ...request(people[0]), fromTrustedProxy: false }],
      stop,
    };
  }));
