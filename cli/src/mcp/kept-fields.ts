/** What people set beside an entry of a registry, and an import keeps. */
export const kept_fields = ['tools', 'data_flow', 'rules', 'approve', 'rule_tests', 'rate', 'prices'] as const;
