// Signing in by the passwords that the accounts themselves keep.
import type { Auth } from '#ports/auth';
import { ownPasswords, type PasswordWay } from '#ports/sign-in';

/** Its subjects are the ids of users. */
export const passwordWay = ({ checkPassword }: Pick<Auth, 'checkPassword'>): PasswordWay => ({
  kind: 'password',
  name: ownPasswords,
  label: 'Sign in',
  async check(name, password) {
    // No name has a NUL, and some databases cannot be asked for one.
    if (password === '' || name.includes('\0')) return undefined;
    const user = await checkPassword(name, password);
    return user === undefined
      ? undefined
      : {
          subject: user.id,
          name: user.name,
          email: user.email,
          emailProved: user.emailProved,
          groups: [],
        };
  },
});
