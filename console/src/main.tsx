import './zod-without-eval.ts';
import './theme.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyTheme } from './parts/theme.ts';

applyTheme();
const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<App />);
