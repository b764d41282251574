const { randomUUID, webcrypto } = process.getBuiltinModule('node:crypto');

/** Node's own, as its timers. A test that has `crypto.randomUUID` answer what it can foresee must not give all objects of a server in the same process one uid. */
export { randomUUID };

export const getRandomValues: typeof webcrypto.getRandomValues = webcrypto.getRandomValues.bind(webcrypto);
