class Refused(Exception):
    """Why a file is not read: half a sentence for people, after "not read: <path>:"."""
