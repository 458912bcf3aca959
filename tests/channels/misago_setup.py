"""Run inside Misago's own environment: a forum with its tables, our account, and members who need not wait 3 seconds.

python misago_setup.py FOLDER PORT SOCKETS: Django's settings are written into FOLDER first.
"""

import os
import sys
from pathlib import Path

SETTINGS = """
from devproject.settings import *

DEBUG = False
DATABASES = {{
    "default": {{
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "postgres", "USER": "postgres", "HOST": "{sockets}", "PORT": {port},
    }}
}}
CELERY_TASK_ALWAYS_EAGER = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
MIDDLEWARE = [one for one in MIDDLEWARE if "debug_toolbar" not in one]
INSTALLED_APPS = [one for one in INSTALLED_APPS if one != "debug_toolbar"]
MEDIA_ROOT = "{folder}/media"
MISAGO_USER_DATA_DOWNLOADS_WORKING_DIR = "{folder}/downloads"
MISAGO_AVATAR_GALLERY = None
ROOT_URLCONF = "devproject.urls"
"""


def main(folder: Path, port: int, sockets: str) -> None:
    (folder / "forum_settings.py").write_text(SETTINGS.format(folder=folder, port=port, sockets=sockets))
    sys.path.insert(0, str(folder))
    os.environ["DJANGO_SETTINGS_MODULE"] = "forum_settings"
    import django

    django.setup()
    from django.contrib.auth import get_user_model
    from django.core.management import call_command
    from misago.acl.models import Role
    from misago.categories.models import Category

    call_command("migrate", verbosity=0)
    for role in Role.objects.exclude(special_role="anonymous"):
        permissions = role.permissions
        permissions.setdefault("misago.threads.permissions.threads", {})["can_omit_flood_protection"] = True
        role.permissions = permissions
        role.save()
    users = get_user_model().objects
    users.create_superuser("admin", "admin@example.org", "a password")
    users.create_user("mentat", "mentat@example.org", "a password")
    print(Category.objects.get(slug="first-category").pk)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
