// Whether what a driver of the port `auth` opened is a way of signing in.
import { checkGroupRules } from '#core/identity/group-rules';
import { driverMethods } from '#ports/drivers';
import { isFailure } from '#ports/failure';
import { ownPasswords } from '#ports/sign-in';
import { isObject, missingMethod } from './methods.js';

const provisions: readonly unknown[] = ['all', 'groups', 'none'];

/** What is wrong with who may come in; `undefined` when nothing is. */
const admissionFault = (admission: unknown): string | undefined => {
  if (admission === undefined) return undefined;
  if (!isObject(admission)) return 'opens a way with an admission that is no object';
  const { provision, domains, groupRules } = admission;
  if (!provisions.includes(provision))
    return `opens a way whose admission.provision is none of ${provisions.join(', ')}`;
  if (!Array.isArray(domains) || domains.some((domain) => typeof domain !== 'string'))
    return 'opens a way whose admission.domains is no list of texts';
  try {
    checkGroupRules(groupRules, 'admission.groupRules');
    return undefined;
  } catch (thrown) {
    if (isFailure(thrown)) return `opens a way whose ${thrown.message}`;
    throw thrown;
  }
};

/** Why a value is no way of signing in of this name, after the name of the driver; `undefined` when it is one. */
export const wayFault = (
  way: Readonly<Record<string, unknown>>,
  name: string,
): string | undefined => {
  const { auth, signOut } = driverMethods;
  const { kind } = way;
  if (typeof kind !== 'string' || !Object.hasOwn(auth, kind))
    return `opens a way of the kind ${String(kind).slice(0, 60)}, which is none of ${Object.keys(auth).join(', ')}`;
  const lacking =
    missingMethod(way, auth[kind as keyof typeof auth]) ?? // one of its own names, as was just asked
    (way['signOut'] === undefined ? undefined : missingMethod(way['signOut'], signOut));
  if (lacking !== undefined) return `opens something without the method ${lacking}`;
  if (!/^[a-z\d-]{1,60}$/i.test(name) || name === ownPasswords)
    return `has a name that a way of signing in cannot have`;
  if (way['name'] !== name) return `opens a way of the name ${String(way['name']).slice(0, 60)}`;
  if (typeof way['label'] !== 'string' || way['label'] === '') return 'opens a way without a label';
  return admissionFault(way['admission']);
};
