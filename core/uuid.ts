const form = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text has the form of an id that we make, in upper or lower case. */
export const isUuid = (text: string): boolean => form.test(text);
