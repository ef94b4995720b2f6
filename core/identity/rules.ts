// What a password must be, how long guessing must wait, and what may be gone to. Pure.
import { Failure } from '#ports/failure';

export const passwordFaults = [
  'TOO_SHORT',
  'TOO_LONG',
  'CONTAINS_USER_NAME',
  'SEQUENCE',
  'REPEAT',
  'COMMON',
] as const;
export type PasswordFault = (typeof passwordFaults)[number];

export interface PasswordRules {
  readonly minLength: number;
  /** Longest run of consecutive characters, or of neighbours on a keyboard. */
  readonly maxSequence: number;
  /** Longest run of one character. */
  readonly maxRepeat: number;
  readonly isCommon: (password: string) => boolean;
}
/** Whose password it is to be. */
export interface PasswordOwner {
  readonly name: string;
  readonly email: string | undefined;
}

const maxLength = 128;
/** Rows of keyboards of several countries, as they are typed from one end to the other. */
const keyboardRows = [
  '`1234567890-=',
  '~!@#$%^&*()_+',
  'qwertyuiop[]',
  "asdfghjkl;'",
  'zxcvbnm,./',
  'qwertzuiopü+',
  'asdfghjklöä#',
  'yxcvbnm,.-',
  'azertyuiop',
  'qsdfghjklm',
  'wxcvbn',
  'йцукенгшщзхъ',
  'фывапролджэ',
  'ячсмитьбю',
];
/** What products are delivered with; a server that opens to one of these is open. */
const deliveredWith = [
  'orreryorrery',
  'orreryadmin',
  'administrator',
  'changemechangeme',
  'changemeplease',
  'changethispassword',
  'passwordpassword',
  'adminpassword',
  'defaultpassword',
  'letmeinletmein',
  'rootrootroot',
  'welcomewelcome',
  'correcthorsebatterystaple',
  'correct horse battery staple',
];

const longestRun = (
  points: readonly string[],
  goesOn: (before: string, next: string) => boolean,
): number => {
  let [longest, run] = [points.length === 0 ? 0 : 1, 1];
  for (let at = 1; at < points.length; at++) {
    run = goesOn(points[at - 1] ?? '', points[at] ?? '') ? run + 1 : 1;
    longest = Math.max(longest, run);
  }
  return longest;
};
const neighbours = (row: string) => {
  const keys = Array.from(row);
  return (step: number) =>
    (before: string, next: string): boolean => {
      const place = keys.indexOf(before);
      return place >= 0 && keys[place + step] === next;
    };
};
const steps = [1, -1].flatMap((step) => [
  (before: string, next: string) =>
    (next.codePointAt(0) ?? 0) - (before.codePointAt(0) ?? 0) === step,
  ...keyboardRows.map((row) => neighbours(row)(step)),
]);

const holds = (password: string, name: string | undefined): boolean => {
  const part = (name ?? '').normalize('NFKC').toLowerCase();
  return Array.from(part).length >= 3 && password.includes(part);
};

/** The rules that a password breaks, in the order of the list; empty when it is acceptable. */
export const faultsOf = (
  password: string,
  owner: PasswordOwner,
  rules: PasswordRules,
): readonly PasswordFault[] => {
  const plain = password.normalize('NFKC');
  const folded = plain.toLowerCase();
  const points = Array.from(folded);
  const broken: Readonly<Record<PasswordFault, boolean>> = {
    TOO_SHORT: Array.from(plain).length < rules.minLength,
    TOO_LONG: Array.from(plain).length > maxLength,
    CONTAINS_USER_NAME: holds(folded, owner.name) || holds(folded, owner.email?.split('@', 1)[0]),
    SEQUENCE: steps.some((goesOn) => longestRun(points, goesOn) > rules.maxSequence),
    REPEAT: longestRun(Array.from(plain), (before, next) => before === next) > rules.maxRepeat,
    COMMON: rules.isCommon(plain) || deliveredWith.includes(folded),
  };
  return passwordFaults.filter((fault) => broken[fault]);
};

const sentences: Readonly<Record<PasswordFault, (rules: PasswordRules) => string>> = {
  TOO_SHORT: ({ minLength }) => `it must have at least ${minLength} characters`,
  TOO_LONG: () => `it must have at most ${maxLength} characters`,
  CONTAINS_USER_NAME: () => 'it must not contain the user name or the name of the mailbox',
  SEQUENCE: ({ maxSequence }) =>
    `it must not have more than ${maxSequence} characters in a row that follow each other, as in abcd, 4321 or qwer`,
  REPEAT: ({ maxRepeat }) =>
    `it must not have the same character more than ${maxRepeat} times in a row`,
  COMMON: () => 'it is among the passwords that are tried first',
};

/** Refuses a password that breaks a rule, with a sentence of all of them and their words. */
export const refuseFaults = (faults: readonly PasswordFault[], rules: PasswordRules): void => {
  if (faults.length > 0)
    throw new Failure(
      'invalid',
      `the password is not acceptable: ${faults.map((fault) => sentences[fault](rules)).join('; ')}`,
      { rules: faults },
    );
};

/** How many tries are free, and how the wait after further ones grows. */
export interface BackOff {
  readonly free: number;
  readonly firstMs: number;
  readonly mostMs: number;
  /** After so long without a failure everything is forgotten. */
  readonly forgetMs: number;
}
/**
 * An account waits shortly and an address long: whoever guesses at one account from one address is soon held back there for longer than the
 * account is, so that its owner gets through, and no stranger can lock an account for good.
 */
export const backOffs = {
  account: { free: 5, firstMs: 1000, mostMs: 30_000, forgetMs: 24 * 3_600_000 },
  address: { free: 20, firstMs: 1000, mostMs: 15 * 60_000, forgetMs: 3_600_000 },
  /** Asking for mail to one mailbox. */
  mailbox: { free: 3, firstMs: 5 * 60_000, mostMs: 3_600_000, forgetMs: 24 * 3_600_000 },
  /** Asking for things that cost something, from one address: mail, accounts, answers about e-mails. */
  asking: { free: 30, firstMs: 10_000, mostMs: 3_600_000, forgetMs: 24 * 3_600_000 },
} as const satisfies Readonly<Record<string, BackOff>>;

/** How long to wait after this number of tries, in ms. */
export const waitAfter = (tries: number, { free, firstMs, mostMs }: BackOff): number =>
  tries < free ? 0 : Math.min(mostMs, firstMs * 2 ** Math.min(tries - free, 30));

export const checkEmail = (email: string): void => {
  if (email.length > 254 || !/^[^\s@<>(),;:"\\[\]\p{Cc}]+@[^\s@<>(),;:"\\[\]\p{Cc}]+$/u.test(email))
    throw new Failure('invalid', 'email must be the address of one mailbox');
};
