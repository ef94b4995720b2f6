/** A credential without what follows its star, by which clients find the server. */
export const secretPart = (credential: string): string => credential.split('*', 1)[0] ?? '';
