import './zod-without-eval.ts';
import './theme.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { loadWhenIdle } from './parts/later.ts';
import { keepStylesheets } from './parts/stylesheets.ts';
import { applyTheme } from './parts/theme.ts';

keepStylesheets();
applyTheme();
const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<App />);
// After the first paint, which has the frame.
requestAnimationFrame(() => setTimeout(loadWhenIdle));
