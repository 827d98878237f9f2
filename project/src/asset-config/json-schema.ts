import { z } from 'zod';

const typeNames = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;
const typeName = z.enum(typeNames);

/** A JSON Schema: structural keywords must have their form, and others pass unchanged. */
export const jsonSchema = z.looseObject({
  type: z.union([typeName, z.array(typeName).min(1)]).optional(),
  // A reader of the schema would fetch every `$ref` to another address.
  $ref: z.string().startsWith('#', 'refers to another document; only `#…` is accepted').optional(),
  description: z.string().optional(),
  required: z.array(z.string()).optional(),
  enum: z.array(z.json()).min(1).optional(),
  get properties() {
    return z.record(z.string().max(100), jsonSchema).optional();
  },
  get items() {
    return jsonSchema.optional();
  },
});

/** The parameters of a call, and the required ones. */
export const parametersSchema = jsonSchema
  .extend({ type: z.literal('object').default('object') })
  .superRefine(({ properties = {}, required = [] }, context) => {
    for (const [index, name] of required.entries())
      if (!Object.hasOwn(properties, name))
        context.addIssue({
          code: 'custom',
          path: ['required', index],
          message: `names \`${name.slice(0, 80)}\`, but no property has this name`,
        });
  });
