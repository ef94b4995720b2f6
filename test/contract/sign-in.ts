// What every way of signing in keeps to, whatever it asks.
import { expect } from 'chai';
import { isFailure, type Failure } from '#ports/failure';
import type {
  HeadersWay,
  Identity,
  PasswordWay,
  RedirectWay,
  SignInWay,
  ToldRequest,
} from '#ports/sign-in';

/** Somebody whom the way knows, and as whom. */
export interface KnownPerson {
  readonly name: string;
  readonly email: string | undefined;
  readonly emailProved: boolean;
  readonly groups: readonly string[];
}

interface Stage<W extends SignInWay> {
  readonly way: W;
  /** Two people with nothing in common. */
  readonly people: readonly [KnownPerson, KnownPerson];
  /** The same way, where whoever knows the people does not answer; absent where nobody else is asked. */
  readonly unanswered?: W;
  stop(): Promise<void>;
}

export interface PasswordStage extends Stage<PasswordWay> {
  /** By the name of each. */
  readonly passwords: Readonly<Record<string, string>>;
}

export interface RedirectStage extends Stage<RedirectWay> {
  /** Goes to the address as this person, and answers the query with which the browser comes back. */
  browse(address: string, person: KnownPerson): Promise<Readonly<Record<string, string>>>;
  /** The same, where the person does not sign in after all. */
  refuse(address: string): Promise<Readonly<Record<string, string>>>;
}

export interface HeadersStage extends Stage<HeadersWay> {
  /** A request of this person, as the proxy passes it on. */
  request(person: KnownPerson): ToldRequest;
  /** Requests that claim to be of somebody, and are not to be believed. */
  readonly forged: readonly ToldRequest[];
}

const failureOf = async (work: Promise<unknown>): Promise<Failure> => {
  try {
    await work;
  } catch (thrown) {
    if (isFailure(thrown)) return thrown;
    throw thrown;
  }
  throw new Error('it was not refused');
};

const knownOf = ({ name, email, emailProved, groups }: Identity) => ({
  name,
  email,
  emailProved: email !== undefined && emailProved,
  groups: [...groups].sort(),
});
const asKnown = ({ name, email, emailProved, groups }: KnownPerson) => ({
  name,
  email,
  emailProved,
  groups: [...groups].sort(),
});

const required = (identity: Identity | undefined): Identity => {
  if (identity === undefined) throw new Error('nobody was identified');
  return identity;
};

/** What holds of every kind; `identify` signs a person in. */
const sharedContract = <S extends Stage<SignInWay>>(
  open: () => Promise<S>,
  identify: (stage: S, person: KnownPerson) => Promise<Identity | undefined>,
): (() => S) => {
  let stage: S;
  before('open it', async () => {
    stage = await open();
  });
  after(() => stage?.stop());

  it('has a name that can stand in an address, and a label', () => {
    expect(stage.way.name).to.match(/^[a-z\d-]{1,60}$/i);
    expect(stage.way.label).to.not.equal('');
  });

  it('answers who signs in, each as themselves', async () => {
    for (const person of stage.people)
      expect(knownOf(required(await identify(stage, person)))).to.deep.equal(asKnown(person));
  });

  it('answers the same subject at every sign-in, and another for somebody else', async () => {
    const [ann, ben] = stage.people;
    const subjects: string[] = [];
    for (const person of [ann, ann, ben, ann])
      subjects.push(required(await identify(stage, person)).subject);

    expect(subjects[0]).to.be.a('string').and.not.equal('');
    expect([subjects[1], subjects[3]]).to.deep.equal([subjects[0], subjects[0]]);
    expect(subjects[2]).to.not.equal(subjects[0]);
  });

  it('answers each of many at once as themselves', async () => {
    const people = Array.from({ length: 8 }, (_, i) => stage.people[i % 2 === 0 ? 0 : 1]);

    const found = await Promise.all(people.map((person) => identify(stage, person)));

    expect(found.map((identity) => identity?.name)).to.deep.equal(people.map(({ name }) => name));
  });
  return () => stage;
};

/** Names that mean something to a directory, a database or a shell, and are nobody's. */
const hostileNames = (name: string): readonly string[] => [
  '*',
  `${name.slice(0, 2)}*`,
  `${name})(|(uid=*`,
  `*)(uid=*))(|(uid=*`,
  `${name})(objectClass=*`,
  '\\2a',
  `${name}\0`,
  `${name},ou=people`,
  `${name}+cn=x`,
  `' OR '1'='1`,
  `"${name}"`,
  '\\',
  '(',
  'x'.repeat(10_000),
];

/** The suite of a way that checks name and password. */
export const passwordWayContract = (open: () => Promise<PasswordStage>): void => {
  const stage = sharedContract(open, ({ way, passwords }, { name }) =>
    way.check(name, passwords[name] ?? ''),
  );
  const passwordOf = ({ name }: KnownPerson): string => stage().passwords[name] ?? '';

  it('answers nobody for an empty password, whoever is named', async () => {
    for (const name of [...stage().people.map((person) => person.name), 'nobody', ''])
      expect(await stage().way.check(name, ''), name).to.equal(undefined);
  });

  it('answers nobody for a wrong password, and for one of somebody else', async () => {
    const [ann, ben] = stage().people;
    const right = passwordOf(ann);
    for (const wrong of [
      'x',
      ' ',
      '*',
      '\0',
      `${right} `,
      right.slice(1),
      right.toUpperCase(),
      passwordOf(ben),
    ])
      expect(await stage().way.check(ann.name, wrong), JSON.stringify(wrong)).to.equal(undefined);
  });

  it('identifies nobody for an unknown name, and takes no character of one as a pattern', async () => {
    const [ann] = stage().people;
    for (const name of ['', 'nobody at all', ...hostileNames(ann.name)])
      expect(await stage().way.check(name, passwordOf(ann)), JSON.stringify(name)).to.equal(
        undefined,
      );
  });

  it('says in a sentence without the password that nobody answers who could know', async () => {
    const { unanswered, people } = stage();
    if (unanswered === undefined) return;
    const failure = await failureOf(unanswered.check(people[0].name, 'a secret word'));

    expect(failure.kind).to.equal('unavailable');
    expect(failure.message)
      .to.match(/^\w.{10,200}$/)
      .and.not.include('secret');
  });
};

/** The suite of a way that sends the browser to a provider. */
export const redirectWayContract = (open: () => Promise<RedirectStage>): void => {
  const identify = async (
    { way, browse }: RedirectStage,
    person: KnownPerson,
  ): Promise<Identity> => {
    const { address, remember } = await way.begin();
    return (await way.complete(await browse(address, person), remember)).identity;
  };
  const stage = sharedContract(open, identify);
  const kindOf = async (query: Readonly<Record<string, string>>, remember: string) =>
    (await failureOf(stage().way.complete(query, remember))).kind;

  it('sends browsers to an address of the web, each with something of its own to remember', async () => {
    const [one, other] = [await stage().way.begin(), await stage().way.begin()];

    expect(new URL(one.address).protocol).to.match(/^https?:$/);
    expect(one.remember).to.not.equal(other.remember);
  });

  it('takes no return that belongs to another browser', async () => {
    const { way, browse, people } = stage();
    const [mine, other] = [await way.begin(), await way.begin()];
    const query = await browse(mine.address, people[0]);

    expect(await kindOf(query, other.remember)).to.equal('unauthenticated');
  });

  it('takes a return once', async () => {
    const { way, browse, people } = stage();
    const { address, remember } = await way.begin();
    const query = await browse(address, people[0]);
    await way.complete(query, remember);

    expect(await kindOf(query, remember)).to.equal('unauthenticated');
  });

  it('takes no return that is empty, made up, or a refusal', async () => {
    const { way, refuse } = stage();
    const { address, remember } = await way.begin();
    const madeUp = Object.fromEntries(
      [...new URL(address).searchParams].filter(([name]) => name === 'state'),
    );
    for (const query of [{}, { code: 'a', state: 'b' }, { ...madeUp, code: 'a' }])
      expect(await kindOf(query, remember), JSON.stringify(query)).to.equal('unauthenticated');

    const again = await way.begin();
    expect(await kindOf(await refuse(again.address), again.remember)).to.equal('unauthenticated');
  });

  it('says in a sentence that the provider does not answer', async () => {
    const { unanswered } = stage();
    if (unanswered === undefined) return;
    const failure = await failureOf(unanswered.begin());

    expect(failure.kind).to.equal('unavailable');
    expect(failure.message).to.match(/^\w.{10,200}$/);
  });

  it('accepts a sign-out notice from the provider alone', async () => {
    const { signOut } = stage().way;
    if (signOut === undefined) return;
    for (const token of ['', 'x', 'a.b.c'])
      expect((await failureOf(signOut.readToken(token))).kind).to.equal('invalid');
    expect(signOut.sessionOf('no token at all')).to.equal(undefined);
  });
};

/** The suite of a way that is told by headers. */
export const headersWayContract = (open: () => Promise<HeadersStage>): void => {
  const stage = sharedContract(open, ({ way, request }, person) => way.read(request(person)));

  it('answers nobody for a request that says nothing', async () => {
    for (const fromTrustedProxy of [true, false])
      expect(await stage().way.read({ headers: {}, fromTrustedProxy })).to.equal(undefined);
  });

  it('answers nobody where the headers that name somebody are empty', async () => {
    const { way, people, request } = stage();
    const { headers, fromTrustedProxy } = request(people[0]);
    for (const empty of ['', ' '])
      expect(
        await way.read({
          headers: Object.fromEntries(Object.keys(headers).map((name) => [name, empty])),
          fromTrustedProxy,
        }),
      ).to.equal(undefined);
  });

  it('believes no header that anybody could have written', async () => {
    const { way, forged } = stage();
    expect(forged).to.not.deep.equal([]);
    for (const request of forged)
      expect(await way.read(request), JSON.stringify(request.headers)).to.equal(undefined);
  });
};
