{{- define "gantry.name" -}}
{{- if contains "gantry" .Release.Name -}}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{- else -}}{{ printf "%s-gantry" (.Release.Name | trunc 33) }}{{- end -}}
{{- end -}}

{{- define "gantry.image" -}}
{{- if .Values.image.digest -}}{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{- end -}}
{{- end -}}

{{- define "gantry.labels" -}}
app.kubernetes.io/name: gantry
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "gantry.keys" -}}
{{ .Values.keys.secret | default (printf "%s-keys" (include "gantry.name" .)) }}
{{- end -}}

{{- define "gantry.door" -}}
{{ include "gantry.name" . }}-door.{{ .Release.Namespace }}.svc
{{- end -}}

{{/* Fits the restricted standard of pod security. */}}
{{- define "gantry.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "gantry.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* Settings of every process. */}}
{{- define "gantry.environment" -}}
- { name: DATABASE_URL, valueFrom: { secretKeyRef: { name: {{ .Values.database.secret | quote }}, key: url } } }
- { name: SECRET_KEY, valueFrom: { secretKeyRef: { name: {{ include "gantry.keys" . | quote }}, key: secret-key } } }
- { name: BASE_URL, value: {{ .Values.url | quote }} }
{{- /* This cluster has no container engine for the service. */}}
- { name: DOCKER_HOST, value: none }
{{- if .Values.authorities }}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/gantry-authorities/ca.crt }
{{- end }}
{{- range $name, $value := .Values.settings }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end -}}

{{- define "gantry.mounts" -}}
- { name: data, mountPath: /data }
- { name: tmp, mountPath: /tmp }
{{- if .Values.settingsSecret }}
- { name: settings, mountPath: /etc/gantry, readOnly: true }
{{- end }}
{{- if .Values.authorities }}
- { name: authorities, mountPath: /etc/gantry-authorities, readOnly: true }
{{- end }}
{{- end -}}

{{/* Nothing that must last lies in /data. */}}
{{- define "gantry.volumes" -}}
- { name: data, emptyDir: { sizeLimit: 8Gi } }
- { name: tmp, emptyDir: { medium: Memory, sizeLimit: 256Mi } }
{{- if .Values.settingsSecret }}
- { name: settings, secret: { secretName: {{ .Values.settingsSecret | quote }}, defaultMode: 0440 } }
{{- end }}
{{- if .Values.authorities }}
- { name: authorities, configMap: { name: {{ .Values.authorities | quote }} } }
{{- end }}
{{- end -}}
