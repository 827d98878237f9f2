// Zod tries whether it may compile code; the content security policy reports the try. It reads this setting when it is loaded. A call of its
// `config` would come too late: the bundle can have schemas beside Zod.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
