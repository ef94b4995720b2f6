// Whether the caller may. The gate looks before the shape is checked: a missing key has its own code, and a stranger learns nothing of
// what a body lacks. What needs a permission is asked of the values that the handler will see, since readers take more forms than one.
import { Failure } from '#ports/failure';
import { subjectsOf, type Subject } from '#ports/api/operation';
import { reader } from '../input.js';
import { pathsOf, validated } from '../route.js';
import { namedBy, type StepMaker } from './incoming.js';

/** Refuses an address with a character that some databases cannot store. */
export const refuseNul: StepMaker = () => (incoming) => {
  for (const named of [incoming.query, incoming.params])
    for (const [name, value] of Object.entries(named))
      if (String(value).includes('\0'))
        throw new Failure('invalid', `${name} must not hold the character U+0000`);
};

const isInBody = (subject: Subject): boolean =>
  pathsOf(subject).some((path) => path.split('/').some((one) => one.startsWith('body.')));

/** Asks the gate for what path and query name. */
export const admitByAddress: StepMaker = ({ restricted, operation }, { gate }) => {
  if (!restricted) return undefined;
  const subjects = subjectsOf(operation).filter((subject) => !isInBody(subject));
  return async (incoming) => {
    const { caller } = incoming;
    if (caller !== undefined)
      incoming.admitted = await gate.admit(
        operation,
        subjects,
        namedBy(incoming),
        caller,
        incoming.admitted,
      );
  };
};

export const validateAddress: StepMaker = ({ operation: { query, params } }) => {
  const readQuery = query === undefined ? undefined : reader(query, 'the query');
  const readParams = params === undefined ? undefined : reader(params, 'the path');
  if (readQuery === undefined && readParams === undefined) return undefined;
  return (incoming) => {
    incoming.valid = {
      query: readQuery?.(incoming.query),
      params: readParams?.({ ...incoming.params }),
    };
  };
};

/** Asks the gate for what a JSON or form body names. */
export const admitByBody: StepMaker = ({ restricted, operation, bodySchema }, { gate }) => {
  const subjects = subjectsOf(operation).filter(isInBody);
  if (!restricted || bodySchema === undefined || subjects.length === 0) return undefined;
  return async (incoming) => {
    const { caller } = incoming;
    if (caller !== undefined)
      incoming.admitted = await gate.admit(
        operation,
        subjects,
        namedBy(incoming),
        caller,
        incoming.admitted,
      );
  };
};

/** Refuses values that need a permission which the caller was not given. */
export const permitValues: StepMaker = ({ restricted, operation }, { gate }) =>
  !restricted || operation.access.permission === undefined
    ? undefined
    : async (incoming) => {
        const { caller, valid, body, admitted } = incoming;
        if (caller !== undefined)
          await gate.permit(
            operation,
            validated(namedBy(incoming), { ...valid, body }),
            caller,
            admitted,
          );
      };
